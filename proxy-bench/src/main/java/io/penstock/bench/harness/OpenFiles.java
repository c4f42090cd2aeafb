package io.penstock.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The number of connections that this process, and those it starts, may open. */
public final class OpenFiles {

  /** Files other than connections that the largest of our processes has open. */
  private static final int OTHERS = 500;

  /** Penstock keeps one in this many files for other things than clients. */
  private static final int SHARE = 4;

  private OpenFiles() {}

  /** Returns how many connections are possible. */
  public static int possible() {
    long limit = limit();
    return Math.clamp(limit - Math.max(OTHERS, limit / SHARE), 0, Integer.MAX_VALUE);
  }

  /**
   * Returns normally if this many connections are possible.
   *
   * @throws IllegalStateException when they are not; the message says what to do
   */
  public static void require(int connections) {
    if (connections > possible()) {
      throw new IllegalStateException(
          "%d connections need ulimit -n %d, and here it is %d: raise it, or use at most %d"
              .formatted(connections, enough(connections), limit(), possible()));
    }
  }

  private static long enough(long connections) {
    return Math.max(connections + OTHERS, (connections * SHARE + SHARE - 2) / (SHARE - 1));
  }

  /** The limit now: a JVM has raised its own to the hard one. */
  static long limit() {
    try {
      return parse(Files.readString(Path.of("/proc/self/limits")));
    } catch (IOException e) {
      return Long.MAX_VALUE; // not Linux: what is too much fails when it is tried
    }
  }

  /** The soft limit in the text of {@code /proc/PID/limits}. */
  static long parse(String limits) {
    for (String line : limits.lines().toList()) {
      if (line.startsWith("Max open files")) {
        String soft = line.substring("Max open files".length()).strip().split("\\s+")[0];
        return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
      }
    }
    return Long.MAX_VALUE;
  }
}
