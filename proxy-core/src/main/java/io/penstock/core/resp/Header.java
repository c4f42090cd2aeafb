package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The first line of a RESP element: its type and a number, as in {@code *3\r }. */
public final class Header {

  private Header() {}

  /** Appends a header; borrows the buffer. */
  public static void write(ByteBuf out, char type, long number) {
    out.writeByte(type);
    if (number < 0) {
      out.writeCharSequence(Long.toString(number), StandardCharsets.US_ASCII);
    } else {
      writeDecimal(out, number);
    }
    out.writeByte('\r').writeByte('\n');
  }

  /** Appends a line with a number, which is not negative; borrows the buffer. */
  public static void writeLine(ByteBuf out, long number) {
    writeDecimal(out, number);
    out.writeByte('\r').writeByte('\n');
  }

  /** Without a string, since a request that is split has ten headers or more. */
  private static void writeDecimal(ByteBuf out, long number) {
    if (number >= 10) {
      writeDecimal(out, number / 10);
    }
    out.writeByte('0' + (int) (number % 10));
  }
}
