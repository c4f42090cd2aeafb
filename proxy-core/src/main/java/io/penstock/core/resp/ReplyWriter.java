package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Writes RESP elements for one client's protocol; characters are bytes, one to one. Borrows the
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

  /** What RESP3 sends out of band. */
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

  public void nil() {
    text(resp3 ? "_\r\n" : "$-1\r\n");
  }

  public void status(String text) {
    text("+");
    text(text);
    text("\r\n");
  }

  /** An error line; a line break in it becomes a blank, as in Redis's addReplyErrorSds. */
  public void error(String text) {
    text(errorLine(text));
  }

  /** The bytes, as characters, of an error reply, one line whatever {@code text} quotes. */
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

  /** Text with its format, {@code txt}: a verbatim string in RESP3. */
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
