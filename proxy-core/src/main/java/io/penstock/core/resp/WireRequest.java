package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;

/** Encodes requests that Penstock sends itself. */
public final class WireRequest {

  private WireRequest() {}

  /** Encodes the arguments; characters are bytes, one to one. */
  public static byte[] of(String... arguments) {
    return of(Arrays.asList(arguments));
  }

  /** Encodes the arguments; characters are bytes, one to one. */
  public static byte[] of(List<String> arguments) {
    ByteBuf out = Unpooled.buffer();
    var writer = new ReplyWriter(out, Protocol.RESP2);
    writer.array(arguments.size());
    arguments.forEach(writer::bulk);
    return ByteBufUtil.getBytes(out);
  }
}
