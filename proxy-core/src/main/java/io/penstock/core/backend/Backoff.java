package io.penstock.core.backend;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next connection attempt: doubling from 10 ms to 1 s, with full jitter
 * above half.
 */
final class Backoff {

  private static final long FIRST_MILLIS = 10;
  private static final long LONGEST_MILLIS = 1_000;

  private int attempts;

  /** Attempts since the last success. */
  int attempts() {
    return attempts;
  }

  void succeeded() {
    attempts = 0;
  }

  /** Milliseconds to wait now; each call counts as a failed attempt. */
  long nextMillis() {
    long ceiling = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(attempts, 10));
    attempts++;
    return ceiling / 2 + ThreadLocalRandom.current().nextLong(ceiling / 2 + 1);
  }
}
