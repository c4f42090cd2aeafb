package io.penstock.core.blocking;

import io.netty.buffer.ByteBufUtil;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transaction.TimeoutArgument;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;

/** The request of a call that may block, and how long it may. A copy: it may be kept for long. */
final class BlockingRequest {

  /** Who waits for longer waits for ever, as far as Penstock is concerned. */
  private static final double MAX_NANOS = TimeUnit.DAYS.toNanos(10_000);

  /** {@link System#nanoTime()} that no deadline comes to, and that can be compared with. */
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  private final byte[] bytes;
  private final int partition;
  private final int timeoutAt;
  private final boolean millis;
  private final boolean forever;
  private final long until; // if not

  /**
   * @param request looked at now only
   */
  BlockingRequest(IncomingRequest request, RoutePlan.Blocking plan, long now) {
    RequestFrame frame = request.frame();
    bytes = ByteBufUtil.getBytes(frame.buffer(), frame.start(), frame.end() - frame.start());
    partition = plan.partition();
    timeoutAt = plan.timeoutAt();
    millis = plan.millis();
    double nanos = number(frame.text(timeoutAt)) * (millis ? 1e6 : 1e9);
    forever = !(nanos > 0 && nanos < MAX_NANOS);
    until = forever ? now + NEVER_NANOS : now + (long) nanos;
  }

  /** What is no number the node will not take either. */
  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** The partition of its keys. */
  int partition() {
    return partition;
  }

  /** As the client sent it. */
  byte[] bytes() {
    return bytes;
  }

  /** Whether the client's time has passed. */
  boolean isExpired(long now) {
    return !forever && now - until >= 0;
  }

  /** {@link System#nanoTime()} at which the node should have answered. */
  long deadline(long patienceNanos) {
    return until + patienceNanos;
  }

  /** The request with only the time that is left. */
  byte[] bytesWithTimeLeft(long now, RespLimits limits) {
    return forever ? bytes : TimeoutArgument.replace(timeLeft(now), frame(limits), timeoutAt);
  }

  /** Never zero, which would be for ever. */
  private String timeLeft(long now) {
    long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - now));
    return millis ? Long.toString(left) : BigDecimal.valueOf(left, 3).toPlainString();
  }

  /** As the client sent it, for a first attempt. */
  RequestFrame frameWithShortTimeout(RespLimits limits) {
    return TimeoutArgument.shorten(frame(limits), timeoutAt, millis, limits);
  }

  /** The request's arguments. */
  RequestFrame frame(RespLimits limits) {
    return TimeoutArgument.parse(bytes, limits);
  }
}
