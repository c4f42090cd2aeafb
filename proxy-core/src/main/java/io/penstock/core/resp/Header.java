package io.penstock.core.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The line that RESP begins an element with: its type and a number, {@code *3\r\n}. */
public final class Header {

  private Header() {}

  /** Appends one; borrows the buffer. */
  public static void write(ByteBuf out, char type, long number) {
    out.writeByte(type);
    if (number < 0) {
      out.writeCharSequence(Long.toString(number), StandardCharsets.US_ASCII);
    } else {
      writeDecimal(out, number);
    }
    out.writeByte('\r').writeByte('\n');
  }

  /** Without a string: requests that are divided have ten of these and more. */
  private static void writeDecimal(ByteBuf out, long number) {
    if (number >= 10) {
      writeDecimal(out, number / 10);
    }
    out.writeByte('0' + (int) (number % 10));
  }
}
