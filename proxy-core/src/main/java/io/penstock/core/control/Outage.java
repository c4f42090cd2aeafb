package io.penstock.core.control;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tries that fail one after the other, and when that is said: of the first, then once in a while.
 * Confined to the topology thread.
 */
public final class Outage {

  private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private int failures;
  private long saidAt;

  public Outage(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** One more try failed; answers whether to say so. */
  public boolean recordFailure() {
    failures++;
    long now = nanoTime.getAsLong();
    if (failures > 1 && now - saidAt < QUIET_NANOS) {
      return false;
    }
    saidAt = now;
    return true;
  }

  /** Tries that failed since one worked. */
  public int failures() {
    return failures;
  }

  /** A try worked; answers how many failed before. */
  public int recordSuccess() {
    int before = failures;
    failures = 0;
    return before;
  }

  /** What is at the bottom of a failure, in words. */
  public static String reason(Throwable failure) {
    Throwable deepest = failure;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    String message = deepest.getMessage();
    return message == null ? deepest.getClass().getSimpleName() : message;
  }
}
