package io.penstock.core.users;

import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.PendingBytes;
import io.penstock.core.users.UserSettings.RateLimit;
import io.penstock.core.users.UserUsage.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one user's requests: they compare its {@link UserUsage} with its {@link
 * UserSettings}. Immutable, and made anew when the settings change. Safe from any thread; no method
 * blocks or allocates.
 */
public final class UserLimits implements PendingBytes {

  private final UserUsage usage;
  private final boolean waits;
  private final long interval; // between two requests, in nanoseconds; 0 without a rate
  private final long early; // how much earlier one may come
  private final long maxBytes; // 0 for no limit

  private UserLimits(UserSettings settings, UserUsage usage) {
    RateLimit rate = settings.requests();
    this.usage = usage;
    this.maxBytes = settings.maxBytesInFlight();
    this.waits = rate != null && rate.waits();
    this.interval = rate == null ? 0 : Math.max(1, rate.period().toNanos() / rate.requests());
    this.early = rate == null ? 0 : interval * (rate.burst() - 1L);
  }

  /** Returns the limits of the user's requests; null if there are none. */
  public static @Nullable UserLimits of(UserSettings settings, UserUsage usage) {
    return settings.requests() == null && settings.maxBytesInFlight() == 0
        ? null
        : new UserLimits(settings, usage);
  }

  /**
   * Takes a request of the user's rate, if excess requests wait.
   *
   * @param again whether the request has waited before
   * @param now {@link System#nanoTime}
   * @return 0 if it may be executed; otherwise the nanoseconds after which to ask again
   */
  public long waitNanos(boolean again, long now) {
    if (!waits) {
      return 0;
    }
    long wait = usage.take(interval, early, now);
    if (wait > 0 && !again) {
      usage.countDelay();
    }
    return wait;
  }

  /**
   * Takes a request of the user's rate, unless excess requests wait, and counts its bytes as in
   * flight until {@link #end}.
   *
   * @param bytes of the request
   * @param now {@link System#nanoTime}
   * @return the encoded error that answers it; null if it may be executed
   */
  public byte @Nullable [] begin(long bytes, long now) {
    if (interval > 0 && !waits && usage.take(interval, early, now) > 0) {
      usage.countRejection(Limit.RATE);
      return ErrorReplies.USER_RATE;
    }
    if (maxBytes > 0 && !usage.begin(bytes, maxBytes)) {
      usage.countRejection(Limit.BYTES_IN_FLIGHT);
      return ErrorReplies.USER_BYTES;
    }
    return null;
  }

  /** Whether {@link #end} must be told of the ends of requests. */
  public boolean countsBytes() {
    return maxBytes > 0;
  }

  @Override
  public void end(long bytes) {
    if (maxBytes > 0) {
      usage.end(bytes);
    }
  }
}
