package io.penstock.core.limit;

import java.time.Duration;
import java.util.stream.Stream;

/**
 * How long a client may keep Penstock waiting before it is closed; zero is for ever.
 *
 * @param idle without a request, as Redis's {@code timeout}
 * @param authentication from its connect to its password
 * @param request from the first byte of a request to the last; a second more for each KiB that came
 * @param reply without reading anything of the replies that wait for it
 */
public record ClientTimeouts(
    Duration idle, Duration authentication, Duration request, Duration reply) {

  /** Closes nobody who is merely idle, as Redis. */
  public static final ClientTimeouts DEFAULTS =
      new ClientTimeouts(
          Duration.ZERO, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofMinutes(5));

  private static final Duration LONGEST_PERIOD = Duration.ofSeconds(1);
  private static final int LOOKS = 10;

  /** So often, in nanoseconds, clients have to be looked at: a timeout is a tenth late at most. */
  public long checkPeriodNanos() {
    return Stream.of(idle, authentication, request, reply)
        .filter(timeout -> !timeout.isZero())
        .map(timeout -> timeout.dividedBy(LOOKS))
        .filter(period -> period.compareTo(LONGEST_PERIOD) < 0)
        .reduce(LONGEST_PERIOD, (a, b) -> a.compareTo(b) < 0 ? a : b)
        .toNanos();
  }
}
