package io.penstock.core.control;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.penstock.core.failure.Causes;
import io.penstock.core.tls.TlsFailure;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Counts consecutive failures and decides when to log one: the first, and then at most one a
 * minute. Confined to the topology thread.
 */
public final class Outage {

  /** What Netty's native transports begin messages with. */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^(io_uring )?\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

  /** What Netty ends messages about attempts to connect with; the lines name the node anyway. */
  private static final Pattern ADDRESS = Pattern.compile(": [^ /]*/\\S+:\\d+$");

  /** What the JDK may say after the name that cannot be resolved. */
  private static final Pattern END_OF_NAME = Pattern.compile(": .*");

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

  /** Returns a number of failed refreshes for a log line. */
  public static String failedRefreshes(int count) {
    return count + (count == 1 ? " failed refresh" : " failed refreshes");
  }

  /** Records a successful attempt. Returns how many attempts failed before it. */
  public int recordSuccess() {
    int before = failures;
    failures = 0;
    return before;
  }

  /**
   * Returns why something failed, for users: the message of the root cause, without names of system
   * calls and classes.
   */
  public static String reason(Throwable failure) {
    Throwable deepest = Causes.rootOf(failure);
    String message = TlsFailure.text(deepest);
    return switch (deepest) {
      case ClosedChannelException _ -> "the connection was closed";
      case RedisCommandTimeoutException _ -> "no reply in time";
      case UnknownHostException _ when message != null ->
          "the name " + END_OF_NAME.matcher(message).replaceFirst("") + " has no address";
      case TimeoutException _ when message == null -> "no reply in time";
      default ->
          message == null
              ? deepest.getClass().getSimpleName()
              : ADDRESS.matcher(SYSTEM_CALL.matcher(message).replaceFirst("")).replaceFirst("");
    };
  }

  /** Returns whether a failure is an error reply of the node: the node answers. */
  public static boolean isErrorReply(Throwable failure) {
    return Causes.rootOf(failure) instanceof RedisCommandExecutionException;
  }
}
