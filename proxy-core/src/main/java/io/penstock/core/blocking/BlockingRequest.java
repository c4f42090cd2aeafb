package io.penstock.core.blocking;

import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transaction.TimeoutArgument;

/** The request of a call that may block, and its timeout. A copy, since it may be kept for long. */
final class BlockingRequest {

  private final byte[] bytes;
  private final int partition;
  private final int timeoutAt;
  private final boolean millis;
  private final BlockingTimeout timeout;

  /**
   * @param request read only here
   */
  BlockingRequest(IncomingRequest request, RoutePlan.Blocking plan, long now) {
    RequestFrame frame = request.frame();
    bytes = ByteBufUtil.getBytes(frame.buffer(), frame.start(), frame.end() - frame.start());
    partition = plan.partition();
    timeoutAt = plan.timeoutAt();
    millis = plan.millis();
    timeout = new BlockingTimeout(frame.text(timeoutAt), millis, now);
  }

  /** The partition of the request's keys. */
  int partition() {
    return partition;
  }

  /** The request as the client sent it. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns whether the timeout has passed. */
  boolean isExpired(long now) {
    return timeout.isExpired(now);
  }

  /** Returns the {@link System#nanoTime()} at which the node should have answered. */
  long deadline(long timeoutNanos) {
    return timeout.end() + timeoutNanos;
  }

  /** Returns the request with the time that is left as its timeout. */
  byte[] bytesWithTimeLeft(long now, RespLimits limits) {
    return timeout.isForever()
        ? bytes
        : TimeoutArgument.replace(timeout.left(now), frame(limits), timeoutAt);
  }

  /** Returns the request with the shortest timeout, for the attempt without blocking. */
  RequestFrame frameWithShortTimeout(RespLimits limits) {
    return TimeoutArgument.shorten(frame(limits), timeoutAt, millis, limits);
  }

  /** Parses the request. */
  RequestFrame frame(RespLimits limits) {
    return TimeoutArgument.parse(bytes, limits);
  }
}
