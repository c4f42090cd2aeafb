package io.penstock.core.retry;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that a node redirects although its upstream is not a cluster, once a minute at most.
 * Confined to a loop.
 */
final class StrayRedirects {

  private static final Logger LOG = LoggerFactory.getLogger(StrayRedirects.class);
  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String logPrefix;
  private boolean logged;
  private long loggedAt; // valid if logged

  /**
   * @param logPrefix what the lines begin with
   */
  StrayRedirects(String logPrefix) {
    this.logPrefix = logPrefix;
  }

  /**
   * Called for an error that the client gets.
   *
   * @param prefix null if it is no retryable error
   */
  void onError(@Nullable Endpoint node, @Nullable RetryablePrefix prefix) {
    if (isDue(prefix, System.nanoTime())) {
      LOG.warn(
          "{}{} answered {}: it belongs to a Redis Cluster, but the URL is for servers without cluster"
              + " support, and clients receive these errors. For the cluster write"
              + " redis-cluster://{}",
          logPrefix,
          node,
          prefix,
          node);
    }
  }

  /** Returns whether to log an error at this time, in nanoseconds, and notes that it was. */
  boolean isDue(@Nullable RetryablePrefix prefix, long now) {
    boolean redirect = prefix == RetryablePrefix.MOVED || prefix == RetryablePrefix.ASK;
    if (!redirect || (logged && now - loggedAt < PERIOD_NANOS)) {
      return false;
    }
    logged = true;
    loggedAt = now;
    return true;
  }
}
