package io.penstock.server.it;

import io.penstock.testkit.cluster.ServerBinary;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Which servers replies are compared with. Penstock's words are those of Redis 7.0; of other
 * versions it is written down, beside {@code differences.txt}, where theirs are others.
 */
public final class ReferenceServer {

  private ReferenceServer() {}

  /** Skips the test, and says so, when nobody has written down how the server here differs. */
  static void assumeCompared() {
    assume(
        version().startsWith("Redis 7.0") || !files().isEmpty(),
        "replies are compared with those of Redis 7.0 and 8.0 and Valkey 8.1");
  }

  /**
   * Skips the test, and says so, when the servers here are older; every Valkey is Redis 7.2 at
   * least.
   */
  public static void assumeAtLeast(int major, int minor, String what) {
    assume(ServerBinary.find().atLeast(major, minor), what + " came with " + major + "." + minor);
  }

  /** Files beside {@code differences.txt} about the server here. */
  static List<String> files() {
    String version = version();
    if (version.startsWith("Redis 8.0")) {
      return List.of("differences-newer.txt", "differences-redis-8.0.txt");
    }
    return version.startsWith("Valkey 8.1")
        ? List.of("differences-newer.txt", "differences-valkey-8.1.txt")
        : List.of();
  }

  private static String version() {
    return ServerBinary.find().toString();
  }

  private static void assume(boolean holds, String reason) {
    String all = reason + ", and the server here is " + version();
    if (!holds) {
      System.out.println("skipped: " + all);
    }
    Assumptions.assumeTrue(holds, all);
  }
}
