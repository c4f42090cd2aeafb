package io.penstock.server.it;

import io.penstock.server.demo.ServerBinary;
import org.junit.jupiter.api.Assumptions;

/** Redis 7.0, whose words Penstock uses: other versions have some of their own. */
final class Reference {

  private Reference() {}

  /** Skips the test, and says so, when the servers here are of another version. */
  static void assumeHere() {
    ServerBinary binary = ServerBinary.find();
    boolean same = !binary.valkey() && binary.major() == 7 && binary.minor() == 0;
    String reason = "replies are compared with Redis 7.0's, and the server here is " + binary;
    if (!same) {
      System.out.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(same, reason);
  }
}
