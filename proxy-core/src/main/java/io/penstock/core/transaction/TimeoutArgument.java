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

/** Replaces the timeout argument of calls that may block. */
public final class TimeoutArgument {

  private static final Pattern PLAIN_SECONDS = Pattern.compile("\\d{1,12}(\\.\\d*)?|\\.\\d+");
  private static final Pattern PLAIN_MILLIS = Pattern.compile("0|[1-9]\\d{0,14}");

  private TimeoutArgument() {}

  /** Returns whether every server takes this for a number of seconds that has not a sign. */
  public static boolean isPlainSeconds(String timeout) {
    return PLAIN_SECONDS.matcher(timeout).matches();
  }

  /**
   * Returns the call with the shortest timeout, for a transaction, in which it must not block: a
   * node that refuses {@code MULTI} runs the call by itself, where it would block all users of the
   * connection. A timeout that is not a plain number is left for the node to check.
   *
   * @param millis whether the timeout is in milliseconds instead of seconds
   * @return the call itself, or a changed copy
   */
  public static RequestFrame shorten(
      RequestFrame call, int timeoutAt, boolean millis, RespLimits limits) {
    String timeout = call.text(timeoutAt);
    if (!(millis ? PLAIN_MILLIS : PLAIN_SECONDS).matcher(timeout).matches()) {
      return call;
    }
    return parse(replace(millis ? "1" : "0.001", call, timeoutAt), limits);
  }

  /** Returns the call with another timeout, or another argument. */
  public static byte[] replace(String timeout, RequestFrame frame, int timeoutAt) {
    ByteBuf out = Unpooled.buffer(frame.end() - frame.start() + 16);
    var writer = new ReplyWriter(out, Protocol.RESP2);
    writer.array(frame.argc());
    for (int i = 0; i < frame.argc(); i++) {
      if (i == timeoutAt) {
        writer.bulk(timeout);
      } else {
        writer.bulk(frame.buffer(), frame.offset(i), frame.length(i));
      }
    }
    return ByteBufUtil.getBytes(out);
  }

  /** Parses an encoded request. */
  public static RequestFrame parse(byte[] request, RespLimits limits) {
    var scanner = new RequestScanner(limits);
    scanner.scan(Unpooled.wrappedBuffer(request), request.length);
    return scanner.frame();
  }
}
