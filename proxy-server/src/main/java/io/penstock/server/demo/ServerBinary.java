package io.penstock.server.demo;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Redis or Valkey server executable that runs on this machine.
 *
 * @param path the executable
 * @param valkey whether it calls itself Valkey
 * @param major its version's first number
 * @param minor its version's second number
 * @param version its version as it says it, for example {@code 7.0.15}
 */
public record ServerBinary(Path path, boolean valkey, int major, int minor, String version) {

  private static final List<String> NAMES = List.of("redis-server", "valkey-server");
  private static final Pattern VERSION = Pattern.compile("v=((\\d+)\\.(\\d+)\\S*)");

  /**
   * The server to use: {@code redis-server} or {@code valkey-server} from PATH, else the one inside
   * {@code embedded-redis} when that is on the class path.
   *
   * @throws MissingServerException when there is none; the message says what to install
   */
  public static ServerBinary find() {
    Path onPath = onPath();
    if (onPath != null) {
      return at(onPath);
    }
    Path bundled = BundledServer.extract();
    if (bundled == null) {
      throw new MissingServerException(
          "The embedded cluster needs redis-server or valkey-server on PATH, and there is neither"
              + " (PATH="
              + System.getenv("PATH")
              + "). "
              + BundledServer.whyNot());
    }
    return at(bundled);
  }

  /**
   * The server at a known place.
   *
   * @throws MissingServerException when it does not run or is no such server
   */
  public static ServerBinary at(Path executable) {
    String said = run(executable);
    Matcher matcher = VERSION.matcher(said);
    if (!matcher.find()) {
      throw new MissingServerException(
          executable
              + " does not run as a Redis or Valkey server; asked for its version it said: "
              + said.strip());
    }
    return new ServerBinary(
        executable,
        said.startsWith("Valkey") || executable.endsWith("valkey-server"),
        Integer.parseInt(matcher.group(2)),
        Integer.parseInt(matcher.group(3)),
        matcher.group(1));
  }

  /** Whether the server is at least this Redis version; every Valkey is at least Redis 7.2. */
  public boolean atLeast(int wantedMajor, int wantedMinor) {
    int ownMajor = valkey ? 7 : major;
    int ownMinor = valkey ? 2 : minor;
    return ownMajor > wantedMajor || (ownMajor == wantedMajor && ownMinor >= wantedMinor);
  }

  @Override
  public String toString() {
    return (valkey ? "Valkey " : "Redis ") + version + " (" + path + ")";
  }

  private static @Nullable Path onPath() {
    String path = System.getenv("PATH");
    if (path == null) {
      return null;
    }
    for (String name : NAMES) {
      for (String folder : path.split(File.pathSeparator, -1)) {
        Path candidate = Path.of(folder, name);
        if (!folder.isEmpty() && Files.isExecutable(candidate)) {
          return candidate;
        }
      }
    }
    return null;
  }

  private static String run(Path executable) {
    try {
      Process process =
          new ProcessBuilder(executable.toString(), "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** No server can be started here; the message says why and what helps. */
  public static final class MissingServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MissingServerException(String message) {
      super(message);
    }
  }
}
