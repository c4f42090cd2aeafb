package io.penstock.core.blocking;

import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transaction.TimeoutArgument;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;

/** The request of a call that may block, and its timeout. A copy, since it may be kept for long. */
final class BlockingRequest {

  /** A longer timeout counts as none. */
  private static final double MAX_NANOS = TimeUnit.DAYS.toNanos(10_000);

  /**
   * Added to {@link System#nanoTime()} for no deadline: never reached, and comparisons do not
   * overflow.
   */
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  private final byte[] bytes;
  private final int partition;
  private final int timeoutAt;
  private final boolean millis;
  private final boolean forever;
  private final long end; // if not forever

  /**
   * @param request read only here
   */
  BlockingRequest(IncomingRequest request, RoutePlan.Blocking plan, long now) {
    RequestFrame frame = request.frame();
    bytes = ByteBufUtil.getBytes(frame.buffer(), frame.start(), frame.end() - frame.start());
    partition = plan.partition();
    timeoutAt = plan.timeoutAt();
    millis = plan.millis();
    double nanos = number(frame.text(timeoutAt)) * (millis ? 1e6 : 1e9);
    forever = !(nanos > 0 && nanos < MAX_NANOS);
    end = forever ? now + NEVER_NANOS : now + (long) nanos;
  }

  /** Parses a number; 0 for anything else, which the node will reject, too. */
  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 0;
    }
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
    return !forever && now - end >= 0;
  }

  /** Returns the {@link System#nanoTime()} at which the node should have answered. */
  long deadline(long timeoutNanos) {
    return end + timeoutNanos;
  }

  /** Returns the request with the time that is left as its timeout. */
  byte[] bytesWithTimeLeft(long now, RespLimits limits) {
    return forever ? bytes : TimeoutArgument.replace(timeLeft(now), frame(limits), timeoutAt);
  }

  /** Returns the time that is left; never zero, which means for ever. */
  private String timeLeft(long now) {
    long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - now));
    return millis ? Long.toString(left) : BigDecimal.valueOf(left, 3).toPlainString();
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
