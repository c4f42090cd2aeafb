package io.penstock.core.topology;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next try: doubles from {@code first} to {@code longest}, and of that
 * a random half to whole, so that many proxies do not return to a cluster in step.
 */
record Backoff(Duration first, Duration longest, RandomGenerator random) {

  private static final int MOST_DOUBLINGS = 20;

  /**
   * @param failures in a row so far, at least 1
   */
  Duration after(int failures) {
    int doublings = Math.min(failures - 1, MOST_DOUBLINGS);
    long nanos = Math.min(first.toNanos() << doublings, longest.toNanos());
    return Duration.ofNanos(nanos / 2 + random.nextLong(nanos / 2 + 1));
  }
}
