package io.penstock.core.command;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.Protocol;
import java.nio.charset.StandardCharsets;

/** Writes RESP elements for one client's protocol. Borrows the buffer. */
final class ReplyBytes {

  private final ByteBuf out;
  private final boolean resp3;

  ReplyBytes(ByteBuf out, Protocol protocol) {
    this.out = out;
    resp3 = protocol == Protocol.RESP3;
  }

  void array(int elements) {
    line('*', elements);
  }

  void set(int elements) {
    line(resp3 ? '~' : '*', elements);
  }

  void map(int entries) {
    line(resp3 ? '%' : '*', resp3 ? entries : entries * 2);
  }

  void integer(long value) {
    line(':', value);
  }

  void missing() {
    text(resp3 ? "_\r\n" : "$-1\r\n");
  }

  void status(String text) {
    text("+");
    text(text);
    text("\r\n");
  }

  void error(String text) {
    text("-");
    text(text);
    text("\r\n");
  }

  void bulk(String text) {
    line('$', text.length());
    text(text);
    text("\r\n");
  }

  void bulk(ByteBuf source, int offset, int length) {
    line('$', length);
    out.writeBytes(source, offset, length);
    text("\r\n");
  }

  private void line(char type, long number) {
    out.writeByte(type);
    text(Long.toString(number));
    text("\r\n");
  }

  private void text(String ascii) {
    out.writeCharSequence(ascii, StandardCharsets.US_ASCII);
  }
}
