package io.penstock.core.retry;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.RetryablePrefix;
import org.jspecify.annotations.Nullable;

/**
 * A node's answer that a command did not run.
 *
 * @param prefix that it begins with; null for one that has a meaning only as a whole
 * @param action what is to be done
 * @param partition that a redirect names
 * @param target where a redirect leads; null where it leads nowhere that may be asked
 */
public record RetryableError(
    @Nullable RetryablePrefix prefix,
    ErrorAction action,
    int partition,
    @Nullable Endpoint target) {

  /** The same without a node that nobody else has told of. */
  RetryableError withoutTarget() {
    return new RetryableError(prefix, action, partition, null);
  }

  /** Whether another node is to be asked from here on. */
  public boolean isMoved() {
    return prefix == RetryablePrefix.MOVED;
  }

  /** Whether another node is to be asked this once. */
  public boolean isAsk() {
    return prefix == RetryablePrefix.ASK;
  }
}
