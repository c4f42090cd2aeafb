package io.penstock.server.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The versions of Penstock and of the Java that runs it. */
public final class Version {

  private static final String BUILD = "/META-INF/build-info.properties";
  private static final String COMMIT = "/git.properties";

  private Version() {}

  /** Returns one line without a line break. It has no commit in a build outside of a repository. */
  public static String text() {
    String version = read(BUILD, "build.version");
    String commit = read(COMMIT, "git.commit.id.abbrev");
    return "Penstock %s (%sJava %s)"
        .formatted(
            version == null ? "unknown" : version,
            commit == null ? "" : "commit " + commit + ", ",
            Runtime.version());
  }

  private static @Nullable String read(String file, String key) {
    try (InputStream in = Version.class.getResourceAsStream(file)) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty(key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
