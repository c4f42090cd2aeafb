package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Writes RESP elements in one client's protocol; characters are bytes, one to one. Borrows the
 * buffer.
 */
public final class ReplyWriter {

  private final ByteBuf out;
  private final boolean resp3;

  public ReplyWriter(ByteBuf out, Protocol protocol) {
    this.out = out;
    resp3 = protocol == Protocol.RESP3;
  }

  public void array(int elements) {
    Header.write(out, '*', elements);
  }

  /** An out-of-band push in RESP3, an array in RESP2. */
  public void push(int elements) {
    Header.write(out, resp3 ? '>' : '*', elements);
  }

  public void set(int elements) {
    Header.write(out, resp3 ? '~' : '*', elements);
  }

  public void map(int entries) {
    Header.write(out, resp3 ? '%' : '*', resp3 ? entries : entries * 2);
  }

  public void integer(long value) {
    Header.write(out, ':', value);
  }

  /** A double in RESP3, a bulk string in RESP2; written without digits behind the point if none. */
  public void decimal(double value) {
    String digits =
        value == Math.rint(value) && Math.abs(value) < Long.MAX_VALUE
            ? Long.toString((long) value)
            : Double.toString(value);
    if (resp3) {
      text("," + digits + "\r\n");
    } else {
      bulk(digits);
    }
  }

  public void nil() {
    text(resp3 ? "_\r\n" : "$-1\r\n");
  }

  public void status(String text) {
    text("+");
    text(text);
    text("\r\n");
  }

  /** An error line. Line breaks become blanks, as in {@code addReplyErrorSds} of Redis. */
  public void error(String text) {
    text(errorLine(text));
  }

  /**
   * Returns the bytes of an error reply, as characters: always one line, whatever {@code text}
   * contains.
   */
  public static String errorLine(String text) {
    return "-" + text.replace('\r', ' ').replace('\n', ' ') + "\r\n";
  }

  public void bulk(String text) {
    Header.write(out, '$', text.length());
    text(text);
    text("\r\n");
  }

  public void bulk(ByteBuf source, int offset, int length) {
    Header.write(out, '$', length);
    out.writeBytes(source, offset, length);
    text("\r\n");
  }

  /** Text with the format {@code txt}: a verbatim string in RESP3, a bulk string in RESP2. */
  public void verbatim(String text) {
    if (resp3) {
      Header.write(out, '=', text.length() + 4);
      text("txt:" + text);
      text("\r\n");
    } else {
      bulk(text);
    }
  }

  private void text(String bytes) {
    out.writeCharSequence(bytes, StandardCharsets.ISO_8859_1);
  }
}
