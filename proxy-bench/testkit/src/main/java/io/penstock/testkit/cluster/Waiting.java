package io.penstock.testkit.cluster;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Polls until a condition holds. */
final class Waiting {

  private static final long PAUSE_NANOS = 10_000_000;

  private Waiting() {}

  /**
   * Returns when {@code condition} holds.
   *
   * @param what completes the sentence "gave up waiting until …"
   * @param detail appended when the time is up
   */
  static void until(
      String what, Duration atMost, BooleanSupplier condition, Supplier<String> detail) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0 || Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException(
            "gave up waiting until " + what + " (" + atMost.toSeconds() + " s)\n" + detail.get());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }
}
