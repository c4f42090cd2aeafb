package io.penstock.bench;

import io.penstock.bench.harness.Programs;
import org.junit.jupiter.api.Assumptions;

/** Preconditions of some tests. */
public final class Needed {

  private Needed() {}

  /** Skips the test unless one of these programs is installed. */
  public static void program(String... names) {
    assume(Programs.find(names).isPresent(), names[0] + " is not installed");
  }

  /** Skips the test unless that holds, and says so. */
  public static void assume(boolean holds, String reason) {
    if (!holds) {
      System.out.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(holds, reason);
  }
}
