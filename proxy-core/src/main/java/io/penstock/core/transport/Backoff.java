package io.penstock.core.transport;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next try: doubles from {@code first} to {@code longest}, and of that
 * a random half to whole, so that many proxies do not return to a server in step.
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {

  private static final int MOST_DOUBLINGS = 20;

  /**
   * The wait before the next try.
   *
   * @param failures in a row so far; none counts as one
   */
  public Duration delayAfter(int failures) {
    int doublings = Math.clamp(failures - 1L, 0, MOST_DOUBLINGS);
    long nanos = Math.min(first.toNanos() << doublings, longest.toNanos());
    return Duration.ofNanos(nanos / 2 + random.nextLong(nanos / 2 + 1));
  }
}
