package io.penstock.core.blocking;

import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;

/**
 * When a call that may block ends by itself. Times are as of {@link System#nanoTime()}. Immutable.
 */
public final class BlockingTimeout {

  /** A longer timeout counts as none. */
  private static final double MAX_NANOS = TimeUnit.DAYS.toNanos(10_000);

  /**
   * Added to {@link System#nanoTime()} for no deadline: never reached, and comparisons do not
   * overflow.
   */
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  private final boolean millis;
  private final boolean forever;
  private final long end; // if not forever

  /**
   * @param timeout as the client gave it; one that is no number, which a node rejects, counts as
   *     none
   * @param millis whether it is in milliseconds instead of seconds
   * @param now when the call began
   */
  public BlockingTimeout(String timeout, boolean millis, long now) {
    this.millis = millis;
    double nanos = number(timeout) * (millis ? 1e6 : 1e9);
    forever = !(nanos > 0 && nanos < MAX_NANOS);
    end = forever ? now + NEVER_NANOS : now + (long) nanos;
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Returns whether the call does not end by itself. */
  public boolean isForever() {
    return forever;
  }

  /** Returns whether the timeout has passed. */
  public boolean isExpired(long now) {
    return !forever && now - end >= 0;
  }

  /** Returns when it passes; in centuries if it never does. */
  public long end() {
    return end;
  }

  /** Returns the time that is left as an argument; never zero, which means for ever. */
  String left(long now) {
    long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - now));
    return millis ? Long.toString(left) : BigDecimal.valueOf(left, 3).toPlainString();
  }
}
