package io.penstock.server.config;

import java.time.Duration;

/** Durations that a key takes: zero, which turns something off, or one from here to there. */
record ZeroOrBetween(Duration shortest, Duration longest) {

  boolean permits(Duration given) {
    return given.isZero() || (given.compareTo(shortest) >= 0 && given.compareTo(longest) <= 0);
  }
}
