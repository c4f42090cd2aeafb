package io.penstock.core.blocking;

import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.Across;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.core.transaction.TimeoutArgument;
import org.jspecify.annotations.Nullable;

/** The request of a call that may block, and its timeout. A copy, since it may be kept for long. */
final class BlockingRequest {

  private byte[] bytes;
  private final int partition;
  private final int timeoutAt;
  private final boolean millis;
  private final BlockingTimeout timeout;

  /**
   * A stream that is read from where it ends.
   *
   * @param key its characters are bytes
   * @param idAt argument index of the id, which is {@code $}
   */
  record StreamEnd(String key, int idAt) {}

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

  /** Returns the first stream whose id is {@code $}, at {@code from} or behind; null if none is. */
  @Nullable StreamEnd nextStreamEnd(CommandSpec spec, int from, RespLimits limits) {
    if (spec.across() != Across.READ_STREAMS || !spec.isReadOnly()) {
      return null;
    }
    RequestFrame frame = frame(limits);
    var keys = new KeyPositions();
    int count = spec.findKeys(frame, keys);
    for (int i = 0; i < count; i++) {
      int id = keys.get(i) + count;
      if (id >= from && id < frame.argc() && frame.text(id).equals("$")) {
        return new StreamEnd(frame.text(keys.get(i)), id);
      }
    }
    return null;
  }

  /** Replaces an argument. */
  void replace(int argument, String with, RespLimits limits) {
    bytes = TimeoutArgument.replace(with, frame(limits), argument);
  }

  /** Parses the request. */
  RequestFrame frame(RespLimits limits) {
    return TimeoutArgument.parse(bytes, limits);
  }
}
