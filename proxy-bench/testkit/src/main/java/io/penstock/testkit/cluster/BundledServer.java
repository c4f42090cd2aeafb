package io.penstock.testkit.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The server inside {@code org.signal:embedded-redis}: Redis 7.0.15, linked statically, so that it
 * runs on any Linux and loads no modules. It is on the class path where Penstock is built and
 * tested or runs from source; penstock.jar leaves it out. Of that library only the executable is
 * used. Any thread.
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

  /** Returns the second half of a message that no server was found. */
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
    return resourceName(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
  }

  /** The resource for an operating system and processor as Java names them; null if none fits. */
  static @Nullable String resourceName(String system, String architecture) {
    String processor =
        switch (architecture) {
          case "amd64", "x86_64" -> "amd64";
          case "aarch64" -> "arm64";
          default -> null;
        };
    String name = system.toLowerCase(Locale.ROOT);
    String kernel = name.startsWith("linux") ? "linux" : name.startsWith("mac") ? "darwin" : null;
    return processor == null || kernel == null
        ? null
        : "redis-server-7.0.15-" + kernel + "-" + processor;
  }
}
