package io.penstock.core.topology;

import io.penstock.core.output.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How often an upstream is refreshed.
 *
 * @param period between periodic refreshes
 * @param minRefreshInterval least time between two adaptive refreshes
 * @param backoff after refreshes that failed or were incomplete
 */
public record RefreshTimes(Duration period, Duration minRefreshInterval, Backoff backoff) {

  private static final Duration FIRST_RETRY = Duration.ofMillis(200);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

  public RefreshTimes {
    if (period.isNegative() || period.isZero()) {
      throw new IllegalArgumentException("refresh period must be positive: " + period);
    }
  }

  /** Times with the usual back-off, which is never longer than the period. */
  public static RefreshTimes of(
      Duration period, Duration minRefreshInterval, RandomGenerator random) {
    Duration longest = period.compareTo(LONGEST_RETRY) < 0 ? period : LONGEST_RETRY;
    return new RefreshTimes(period, minRefreshInterval, backoff(longest, random));
  }

  /** Returns the usual back-off, but with another longest delay. */
  static Backoff backoff(Duration longest, RandomGenerator random) {
    return new Backoff(FIRST_RETRY, longest, random);
  }

  /** Returns the usual back-off. */
  public static Backoff backoff(RandomGenerator random) {
    return backoff(LONGEST_RETRY, random);
  }
}
