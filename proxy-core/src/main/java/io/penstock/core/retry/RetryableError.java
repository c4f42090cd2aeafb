package io.penstock.core.retry;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.RetryablePrefix;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An error reply of a node that means the command did not run.
 *
 * @param prefix that the error begins with; null for an error that is recognized only as a whole
 * @param action what to do
 * @param partition that a redirect names
 * @param target of a redirect; null if requests may not be sent there
 */
public record RetryableError(
    @Nullable RetryablePrefix prefix,
    ErrorAction action,
    int partition,
    @Nullable Endpoint target) {

  /** Returns the same error without its target, which is not a known node. */
  RetryableError withoutTarget() {
    return new RetryableError(prefix, action, partition, null);
  }

  /**
   * Returns what an operator may see of the error reply: of a redirect only its kind.
   *
   * @param line the reply
   */
  public byte[] rejection(byte[] line) {
    return action == ErrorAction.REDIRECT && prefix != null
        ? prefix.name().getBytes(StandardCharsets.US_ASCII)
        : line;
  }

  /** Returns whether the partition has another master from now on. */
  public boolean isMoved() {
    return prefix == RetryablePrefix.MOVED;
  }

  /** Returns whether another node is to be used for this request only. */
  public boolean isAsk() {
    return prefix == RetryablePrefix.ASK;
  }
}
