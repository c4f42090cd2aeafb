package io.penstock.core.limit;

import java.time.Duration;
import java.util.stream.Stream;

/**
 * How long a client may keep Penstock waiting before it is closed; zero for no timeout.
 *
 * @param idle without a request, as {@code timeout} of Redis
 * @param authentication from connecting to authenticating
 * @param request from the first byte of a request to the last; one second more for each KiB
 *     received
 * @param reply without reading any of its pending replies
 */
public record ClientTimeouts(
    Duration idle, Duration authentication, Duration request, Duration reply) {

  /** The default timeouts. Idle clients are not closed, as in Redis. */
  public static final ClientTimeouts DEFAULTS =
      new ClientTimeouts(
          Duration.ZERO, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofMinutes(5));

  private static final Duration MAX_PERIOD = Duration.ofSeconds(1);
  private static final int CHECKS = 10;

  /**
   * Nanoseconds between two checks of the clients: a timeout is detected late by a tenth of it at
   * most.
   */
  public long checkPeriodNanos() {
    return Stream.of(idle, authentication, request, reply)
        .filter(timeout -> !timeout.isZero())
        .map(timeout -> timeout.dividedBy(CHECKS))
        .filter(period -> period.compareTo(MAX_PERIOD) < 0)
        .reduce(MAX_PERIOD, (a, b) -> a.compareTo(b) < 0 ? a : b)
        .toNanos();
  }
}
