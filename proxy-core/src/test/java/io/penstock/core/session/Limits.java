package io.penstock.core.session;

import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.limit.OutputLimit;
import java.time.Duration;

/** {@link ClientLimits} that differ from the defaults in one point. */
final class Limits {

  private Limits() {}

  static ClientLimits with(OutputLimit normal, OutputLimit subscribers) {
    ClientLimits all = ClientLimits.DEFAULTS;
    return new ClientLimits(
        normal,
        subscribers,
        all.memory(),
        all.timeouts(),
        all.inFlight(),
        all.totalInFlight(),
        all.patterns());
  }

  static ClientLimits normal(OutputLimit normal) {
    return with(normal, OutputLimit.SUBSCRIBERS);
  }

  static ClientLimits memory(long bytes) {
    ClientLimits all = ClientLimits.DEFAULTS;
    return new ClientLimits(
        all.normal(),
        all.subscribers(),
        bytes,
        all.timeouts(),
        all.inFlight(),
        all.totalInFlight(),
        all.patterns());
  }

  static ClientLimits inFlight(int one, int total) {
    ClientLimits all = ClientLimits.DEFAULTS;
    return new ClientLimits(
        all.normal(), all.subscribers(), all.memory(), all.timeouts(), one, total, all.patterns());
  }

  static ClientLimits patterns(int one) {
    ClientLimits all = ClientLimits.DEFAULTS;
    return new ClientLimits(
        all.normal(),
        all.subscribers(),
        all.memory(),
        all.timeouts(),
        all.inFlight(),
        all.totalInFlight(),
        one);
  }

  static ClientLimits timeouts(ClientTimeouts timeouts) {
    ClientLimits all = ClientLimits.DEFAULTS;
    return new ClientLimits(
        all.normal(),
        all.subscribers(),
        all.memory(),
        timeouts,
        all.inFlight(),
        all.totalInFlight(),
        all.patterns());
  }

  static ClientTimeouts idle(Duration idle) {
    return new ClientTimeouts(idle, Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  static ClientTimeouts authentication(Duration authentication) {
    return new ClientTimeouts(Duration.ZERO, authentication, Duration.ZERO, Duration.ZERO);
  }

  static ClientTimeouts request(Duration request) {
    return new ClientTimeouts(Duration.ZERO, Duration.ZERO, request, Duration.ZERO);
  }

  static ClientTimeouts reply(Duration reply) {
    return new ClientTimeouts(Duration.ZERO, Duration.ZERO, Duration.ZERO, reply);
  }
}
