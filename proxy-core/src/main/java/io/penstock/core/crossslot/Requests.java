package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.WireRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Encodes requests. Large arguments are not copied. */
final class Requests {

  private static final byte[] END = {'\r', '\n'};

  private Requests() {}

  /** Encodes the arguments; characters are bytes, one to one. */
  static ByteBuf of(String... arguments) {
    return Unpooled.wrappedBuffer(WireRequest.of(arguments));
  }

  /**
   * Encodes a request with an argument that is a bulk string already.
   *
   * @param bulk borrowed; the request shares it
   */
  static ByteBuf of(List<String> before, ByteBuf bulk, List<String> after) {
    ByteBuf beginning = Unpooled.buffer();
    var writer = new ReplyWriter(beginning, Protocol.RESP2);
    writer.array(before.size() + 1 + after.size());
    before.forEach(writer::bulk);
    ByteBuf end = Unpooled.buffer();
    var endWriter = new ReplyWriter(end, Protocol.RESP2);
    after.forEach(endWriter::bulk);
    return Unpooled.wrappedBuffer(beginning, bulk.retainedDuplicate(), end);
  }

  /**
   * Encodes an argument as a bulk string.
   *
   * @param bytes on the heap; shared
   */
  static ByteBuf bulk(ByteBuf bytes) {
    byte[] beginning = ("$" + bytes.readableBytes() + "\r\n").getBytes(StandardCharsets.US_ASCII);
    return Unpooled.wrappedBuffer(
        Unpooled.wrappedBuffer(beginning), bytes.retainedDuplicate(), Unpooled.wrappedBuffer(END));
  }

  /** Returns a block that runs the requests together. */
  static List<ByteBuf> block(ByteBuf... requests) {
    List<ByteBuf> all = new ArrayList<>();
    all.add(of("MULTI"));
    all.addAll(List.of(requests));
    all.add(of("EXEC"));
    return all;
  }
}
