package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.route.RoutePlan;
import java.math.BigDecimal;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** The request of a call that may block, and how long it may. A copy: it may be kept for long. */
final class BlockingRequest {

  /** Who waits for longer waits for ever, as far as Penstock is concerned. */
  private static final double LONGEST_NANOS = TimeUnit.DAYS.toNanos(10_000);

  /** {@link System#nanoTime()} that no deadline comes to, and that can be compared with. */
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  private static final Pattern PLAIN_SECONDS = Pattern.compile("\\d{1,12}(\\.\\d*)?|\\.\\d+");
  private static final Pattern PLAIN_MILLIS = Pattern.compile("0|[1-9]\\d{0,14}");

  private final byte[] bytes;
  private final int timeoutAt;
  private final boolean millis;
  private final boolean forever;
  private final long until; // if not

  /**
   * @param frame borrowed
   */
  BlockingRequest(RequestFrame frame, RoutePlan.Blocking plan, long now) {
    bytes = ByteBufUtil.getBytes(frame.buffer(), frame.start(), frame.end() - frame.start());
    timeoutAt = plan.timeoutAt();
    millis = plan.millis();
    double nanos = number(LocalReplies.text(frame, timeoutAt)) * (millis ? 1e6 : 1e9);
    forever = !(nanos > 0 && nanos < LONGEST_NANOS);
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

  /** As the client sent it. */
  byte[] bytes() {
    return bytes;
  }

  /** Whether the client's time has passed. */
  boolean isOver(long now) {
    return !forever && now - until >= 0;
  }

  /** {@link System#nanoTime()} at which the node should have answered. */
  long deadline(long patienceNanos) {
    return until + patienceNanos;
  }

  /** The request with only the time that is left. */
  byte[] bytesAt(long now, RespLimits limits) {
    return forever ? bytes : with(left(now), frame(limits), timeoutAt);
  }

  /**
   * The call with the shortest time there is, for where it is not to block: a node that refuses
   * {@code MULTI} runs it all the same, and would hold up everybody. What is no plain number is
   * left for the node to judge.
   *
   * @param millis whether the time is in milliseconds, and not in seconds
   * @return the call itself, or bytes of its own
   */
  static RequestFrame briefly(RequestFrame call, int timeoutAt, boolean millis, RespLimits limits) {
    String time = LocalReplies.text(call, timeoutAt);
    if (!(millis ? PLAIN_MILLIS : PLAIN_SECONDS).matcher(time).matches()) {
      return call;
    }
    return frame(with(millis ? "1" : "0.001", call, timeoutAt), limits);
  }

  private static byte[] with(String time, RequestFrame frame, int timeoutAt) {
    ByteBuf out = Unpooled.buffer(frame.end() - frame.start() + 16);
    var writer = new ReplyWriter(out, Protocol.RESP2);
    writer.array(frame.argc());
    for (int i = 0; i < frame.argc(); i++) {
      if (i == timeoutAt) {
        writer.bulk(time);
      } else {
        writer.bulk(frame.buffer(), frame.offset(i), frame.length(i));
      }
    }
    return ByteBufUtil.getBytes(out);
  }

  /** Never zero, which would be for ever. */
  private String left(long now) {
    long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - now));
    return millis ? Long.toString(left) : BigDecimal.valueOf(left, 3).toPlainString();
  }

  /** As the client sent it, for a first attempt. */
  RequestFrame briefly(RespLimits limits) {
    return briefly(frame(limits), timeoutAt, millis, limits);
  }

  /** The request's arguments. */
  RequestFrame frame(RespLimits limits) {
    return frame(bytes, limits);
  }

  private static RequestFrame frame(byte[] request, RespLimits limits) {
    var scanner = new RequestScanner(limits);
    scanner.scan(Unpooled.wrappedBuffer(request), request.length);
    return scanner.frame();
  }
}
