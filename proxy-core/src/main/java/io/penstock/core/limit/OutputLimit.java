package io.penstock.core.limit;

import java.time.Duration;

/**
 * The output buffer limit of a client, as {@code client-output-buffer-limit} of Redis; 0 bytes for
 * no limit.
 *
 * @param hardBytes of unread replies above which the client is closed at once
 * @param softBytes above which it is closed after {@code softTime}
 */
public record OutputLimit(long hardBytes, long softBytes, Duration softTime) {

  /** The default of Redis for clients without subscriptions. */
  public static final OutputLimit NONE = new OutputLimit(0, 0, Duration.ZERO);

  /** The default of Redis for subscribers. */
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
