package io.penstock.core.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The server that integration tests start, chosen as in proxy-server: the one that {@code
 * -Dpenstock.test.server} names, else the one inside {@code embedded-redis}, and {@code
 * redis-server} from PATH where that has none for this machine.
 */
public final class TestServer {

  private static @Nullable String bundled;

  private TestServer() {}

  /** The first word of its command line. Any thread. */
  public static synchronized String executable() {
    String choice = System.getProperty("penstock.test.server", "").strip();
    if (!choice.isEmpty()) {
      return choice;
    }
    if (bundled == null) {
      bundled = extract();
    }
    return bundled;
  }

  private static String extract() {
    try (InputStream in = TestServer.class.getResourceAsStream("/" + resourceName())) {
      if (in == null) {
        return "redis-server";
      }
      Path folder = Files.createTempDirectory("penstock-test-server-");
      Path executable = folder.resolve("redis-server");
      Files.copy(in, executable);
      if (!executable.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + executable + " executable");
      }
      folder.toFile().deleteOnExit();
      executable.toFile().deleteOnExit(); // the last one registered goes first
      return executable.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String resourceName() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String kernel = system.startsWith("mac") ? "darwin" : system;
    String architecture = System.getProperty("os.arch", "");
    String processor =
        switch (architecture) {
          case "x86_64" -> "amd64";
          case "aarch64" -> "arm64";
          default -> architecture;
        };
    return "redis-server-7.0.15-" + kernel + "-" + processor;
  }
}
