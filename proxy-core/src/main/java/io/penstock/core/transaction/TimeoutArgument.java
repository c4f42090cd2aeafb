package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import java.util.regex.Pattern;

/** Calls that may block, where they are not to. */
public final class TimeoutArgument {

  private static final Pattern PLAIN_SECONDS = Pattern.compile("\\d{1,12}(\\.\\d*)?|\\.\\d+");
  private static final Pattern PLAIN_MILLIS = Pattern.compile("0|[1-9]\\d{0,14}");

  private TimeoutArgument() {}

  /**
   * The call with the shortest time there is, for where it is not to block: a node that refuses
   * {@code MULTI} runs it all the same, and would hold up everybody. What is no plain number is
   * left for the node to judge.
   *
   * @param millis whether the time is in milliseconds, and not in seconds
   * @return the call itself, or bytes of its own
   */
  public static RequestFrame shorten(
      RequestFrame call, int timeoutAt, boolean millis, RespLimits limits) {
    String time = call.text(timeoutAt);
    if (!(millis ? PLAIN_MILLIS : PLAIN_SECONDS).matcher(time).matches()) {
      return call;
    }
    return parse(replace(millis ? "1" : "0.001", call, timeoutAt), limits);
  }

  /** The call with another time. */
  public static byte[] replace(String time, RequestFrame frame, int timeoutAt) {
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

  /** The arguments of an encoded request. */
  public static RequestFrame parse(byte[] request, RespLimits limits) {
    var scanner = new RequestScanner(limits);
    scanner.scan(Unpooled.wrappedBuffer(request), request.length);
    return scanner.frame();
  }
}
