package io.penstock.server.it;

import io.penstock.testkit.cluster.ServerBinary;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * The servers that replies are compared with. Penstock's error texts are those of Redis 7.0; files
 * next to {@code differences.txt} list where other versions differ.
 */
public final class ReferenceServer {

  private ReferenceServer() {}

  /** Skips the test with a message if no file lists how the server here differs. */
  static void assumeCompared() {
    assume(
        version().startsWith("Redis 7.0") || !files().isEmpty(),
        "replies are compared with those of Redis 7.0 and 8.0 and Valkey 8.1");
  }

  /**
   * Skips the test with a message if the servers here are older. Every Valkey counts as Redis 7.2
   * or newer.
   */
  public static void assumeAtLeast(int major, int minor, String what) {
    assume(isAtLeast(major, minor), what + " came with " + major + "." + minor);
  }

  /** Returns false if the servers here are older. */
  static boolean isAtLeast(int major, int minor) {
    return ServerBinary.find().atLeast(major, minor);
  }

  /** Returns the files next to {@code differences.txt} about the server here. */
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
