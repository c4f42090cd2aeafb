package io.penstock.core.observe;

import java.math.BigDecimal;
import java.time.Duration;

/** Times for people to read, in logs and on the management port. */
public final class ShownTime {

  private ShownTime() {}

  /** Returns a duration in seconds, to the millisecond: {@code 30 s}, {@code 0.003 s}. */
  public static String seconds(Duration time) {
    return BigDecimal.valueOf(time.toMillis(), 3).stripTrailingZeros().toPlainString() + " s";
  }
}
