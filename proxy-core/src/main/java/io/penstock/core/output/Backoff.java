package io.penstock.core.output;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with jitter. The delay doubles from {@code first} to {@code longest}; a
 * random value between half of it and all of it is used, so that many proxies do not reconnect to a
 * server at the same time.
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {

  private static final int MAX_DOUBLINGS = 20;

  /**
   * Returns the delay before the next attempt.
   *
   * @param failures consecutive failures so far; 0 counts as 1
   */
  public Duration delayAfter(int failures) {
    int doublings = Math.clamp(failures - 1L, 0, MAX_DOUBLINGS);
    long nanos = Math.min(first.toNanos() << doublings, longest.toNanos());
    return Duration.ofNanos(nanos / 2 + random.nextLong(nanos / 2 + 1));
  }
}
