package io.penstock.core.limit;

import java.time.Duration;

/**
 * How much a client may leave unread before it is closed, as Redis's {@code
 * client-output-buffer-limit} has it; 0 bytes is no limit.
 *
 * @param hardBytes closed at once above that
 * @param softBytes closed when above that for longer than {@code softTime}
 */
public record OutputLimit(long hardBytes, long softBytes, Duration softTime) {

  /** Redis's default for clients that have not subscribed. */
  public static final OutputLimit NONE = new OutputLimit(0, 0, Duration.ZERO);

  /** Redis's default for subscribers. */
  public static final OutputLimit SUBSCRIBERS =
      new OutputLimit(32 << 20, 8 << 20, Duration.ofSeconds(60));

  boolean isAboveHard(long pending) {
    return hardBytes > 0 && pending > hardBytes;
  }

  boolean isAboveSoft(long pending) {
    return softBytes > 0 && pending > softBytes;
  }

  long softNanos() {
    return softTime.toNanos();
  }
}
