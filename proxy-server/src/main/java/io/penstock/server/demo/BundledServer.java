package io.penstock.server.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The server inside {@code com.github.codemonstur:embedded-redis}, which is on the class path when
 * Penstock runs from source and is left out of the jar.
 */
final class BundledServer {

  private static @Nullable Watchdog keeper;

  private BundledServer() {}

  /** The executable in a temporary folder that goes with this JVM, or null when there is none. */
  static synchronized @Nullable Path extract() {
    String name = resourceName();
    if (keeper != null) {
      return executableIn(keeper);
    }
    if (name == null) {
      return null;
    }
    try (InputStream in = BundledServer.class.getResourceAsStream("/" + name)) {
      if (in == null) {
        return null;
      }
      Watchdog made = Watchdog.overFolder("penstock-server-");
      Path executable = executableIn(made);
      Files.copy(in, executable);
      if (!executable.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + executable + " executable");
      }
      keeper = made;
      return executable;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot unpack the bundled server", e);
    }
  }

  /** Completes the message of somebody who found no server. */
  static String whyNot() {
    String name = resourceName();
    return name == null
        ? "None is bundled for this operating system and processor. Install one."
        : "Install one (Debian: apt-get install redis-server), or run Penstock from source"
            + " (./mvnw spring-boot:run), which brings one along.";
  }

  private static Path executableIn(Watchdog keeper) {
    return keeper.folder().resolve("redis-server");
  }

  private static @Nullable String resourceName() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String processor = System.getProperty("os.arch", "");
    boolean arm = processor.equals("aarch64");
    if (!arm && !processor.equals("amd64") && !processor.equals("x86_64")) {
      return null;
    }
    if (system.startsWith("linux")) {
      return arm ? "redis-server-6.2.7-linux-arm64" : "redis-server-6.2.6-v5-linux-amd64";
    }
    if (system.startsWith("mac")) {
      return "redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64");
    }
    return null;
  }
}
