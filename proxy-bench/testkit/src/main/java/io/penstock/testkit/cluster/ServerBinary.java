package io.penstock.testkit.cluster;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

  /** The system property that names another server than the bundled one. */
  public static final String PROPERTY = "penstock.test.server";

  private static final String[] NAMES = {"redis-server", "valkey-server"};
  private static final Pattern VERSION = Pattern.compile("v=((\\d+)\\.(\\d+)\\S*)");

  /**
   * Finds the server to use: the one that system property {@value #PROPERTY} names; else the
   * bundled one, even if a server is installed, so that all machines run the same; if none is
   * bundled (in penstock.jar), {@code redis-server} or {@code valkey-server} from PATH.
   *
   * @throws MissingServerException if there is none; the message says what helps
   */
  public static ServerBinary find() {
    return find(System.getProperty(PROPERTY, ""), SearchPath.ofThisProcess());
  }

  static ServerBinary find(String choice, SearchPath path) {
    if (!choice.isBlank()) {
      return named(choice.strip(), path);
    }
    Path bundled = BundledServer.extract();
    return bundled == null ? installed(path) : at(bundled);
  }

  private static ServerBinary named(String choice, SearchPath path) {
    boolean isName = !choice.contains("/") && !choice.contains(File.separator);
    Path executable = isName ? path.find(choice) : Path.of(choice).toAbsolutePath().normalize();
    if (executable == null || !Files.isExecutable(executable)) {
      String reason =
          isName
              ? "there is no such program on PATH (PATH=" + path + ")"
              : "there is no executable " + executable;
      throw new MissingServerException(
          PROPERTY
              + "="
              + choice
              + ": "
              + reason
              + ". Give a name that is on PATH, or an absolute path, or leave it out");
    }
    return at(executable);
  }

  /** {@code redis-server} or {@code valkey-server} from {@code path}. */
  static ServerBinary installed(SearchPath path) {
    Path executable = path.find(NAMES);
    if (executable == null) {
      throw new MissingServerException(
          "The embedded cluster needs redis-server or valkey-server on PATH, and there is neither"
              + " (PATH="
              + path
              + "). "
              + BundledServer.whyNot());
    }
    return at(executable);
  }

  /**
   * The server at a known place.
   *
   * @throws MissingServerException when it does not run or is no such server
   */
  public static ServerBinary at(Path executable) {
    String said = run(executable, "", "--version");
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

  /** Returns whether the server can serve TLS: programs are built with it or without. */
  public boolean hasTls() {
    // The server reads this configuration from the standard input, and ends at the first line that
    // it does not know.
    return !run(path, "tls-port 0\nno-such-line\n", "-").contains("'tls-port");
  }

  @Override
  public String toString() {
    return (valkey ? "Valkey " : "Redis ") + version + " (" + path + ")";
  }

  /** Returns what the program writes to either output, or why it does not run. */
  private static String run(Path executable, String input, String argument) {
    try {
      Process process =
          new ProcessBuilder(executable.toString(), argument).redirectErrorStream(true).start();
      try (OutputStream in = process.getOutputStream()) {
        in.write(input.getBytes(StandardCharsets.UTF_8));
      } catch (IOException _) {
        // It has ended without reading all; its output counts.
      }
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** No server can be started here. The message says why and what helps. */
  public static final class MissingServerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MissingServerException(String message) {
      super(message);
    }
  }
}
