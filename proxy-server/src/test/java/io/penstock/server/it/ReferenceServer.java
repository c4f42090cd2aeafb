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
        "no file beside differences.txt says how its replies differ");
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

  /**
   * Returns the files next to {@code differences.txt} about the server here: of all that are newer
   * than Redis 7.0, of its project, and of its version. Empty for Redis 7.0, and for a version
   * without a file of its own.
   */
  static List<String> files() {
    ServerBinary server = ServerBinary.find();
    String project = server.valkey() ? "valkey" : "redis";
    String own = "differences-%s-%d.%d.txt".formatted(project, server.major(), server.minor());
    return ReferenceServer.class.getResource(own) == null
        ? List.of()
        : List.of("differences-newer.txt", "differences-" + project + ".txt", own);
  }

  private static String version() {
    return ServerBinary.find().toString();
  }

  /** Skips the test with a message, which also says what the servers here are. */
  static void assume(boolean holds, String reason) {
    String all = reason + ", and the server here is " + version();
    if (!holds) {
      System.out.println("skipped: " + all);
    }
    Assumptions.assumeTrue(holds, all);
  }
}
