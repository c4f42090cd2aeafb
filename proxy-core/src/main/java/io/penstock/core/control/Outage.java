package io.penstock.core.control;

import io.lettuce.core.RedisCommandExecutionException;
import io.penstock.core.tls.TlsFailure;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Counts consecutive failures and decides when to log one: the first, and then at most one a
 * minute. Confined to the topology thread.
 */
public final class Outage {

  /** What Netty's native transports begin messages with. */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

  private static final long LOG_PERIOD_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanoTime;
  private int failures;
  private long loggedAt;

  public Outage(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Records a failed attempt. Returns whether to log it. */
  public boolean recordFailure() {
    failures++;
    long now = nanoTime.getAsLong();
    if (failures > 1 && now - loggedAt < LOG_PERIOD_NANOS) {
      return false;
    }
    loggedAt = now;
    return true;
  }

  /** Returns the number of failed attempts since the last success. */
  public int failures() {
    return failures;
  }

  /** Records a successful attempt. Returns how many attempts failed before it. */
  public int recordSuccess() {
    int before = failures;
    failures = 0;
    return before;
  }

  /** Returns the message of a failure's root cause, or its class name if it has no message. */
  public static String reason(Throwable failure) {
    Throwable deepest = rootOf(failure);
    String message = TlsFailure.text(deepest);
    return message == null
        ? deepest.getClass().getSimpleName()
        : SYSTEM_CALL.matcher(message).replaceFirst("");
  }

  /** Returns whether a failure is an error reply of the node: the node answers. */
  public static boolean isErrorReply(Throwable failure) {
    return rootOf(failure) instanceof RedisCommandExecutionException;
  }

  /** Returns the last cause. */
  static Throwable rootOf(Throwable failure) {
    Throwable deepest = failure;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest;
  }
}
