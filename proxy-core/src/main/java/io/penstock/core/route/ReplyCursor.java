package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;

/** Reads one whole, well-formed reply from its beginning, element by element. Borrows it. */
final class ReplyCursor {

  private final ByteBuf reply;
  private final ReplyScanner scanner = new ReplyScanner();
  private int position;

  ReplyCursor(ByteBuf reply) {
    this.reply = reply;
    this.position = reply.readerIndex();
  }

  ByteBuf reply() {
    return reply;
  }

  /** The index of the next element. */
  int position() {
    return position;
  }

  int end() {
    return reply.writerIndex();
  }

  /** The type of the next element. */
  byte type() {
    return reply.getByte(position);
  }

  boolean isInteger() {
    return type() == ':';
  }

  /** Reads an integer. */
  long integer() {
    if (!isInteger()) {
      throw new UnmergeableException();
    }
    return number();
  }

  /** Reads the header of an array, set or map. Returns how many elements follow. */
  long elements() {
    byte type = type();
    long count = number();
    if (count < 0 || (type != '*' && type != '~' && type != '%')) {
      throw new UnmergeableException();
    }
    return type == '%' ? 2 * count : count;
  }

  /** Reads a bulk string, as characters. */
  String text() {
    int from = position;
    if (type() != '$' || isNull()) {
      throw new UnmergeableException();
    }
    int length = Math.toIntExact(number());
    String text = reply.toString(position, length, StandardCharsets.ISO_8859_1);
    position = from;
    skip();
    return text;
  }

  /** Skips one element of any type. */
  void skip() {
    position = scanner.scan(reply, position, end());
  }

  /** Returns whether the next element is null in either protocol. */
  boolean isNull() {
    return type() == '_'
        || ((type() == '$' || type() == '*') && reply.getByte(position + 1) == '-');
  }

  /** Reads the number of a header line. */
  private long number() {
    int digit = position + 1;
    boolean negative = reply.getByte(digit) == '-';
    if (negative) {
      digit++;
    }
    int first = digit;
    long value = 0; // negated: the least long has no positive counterpart
    for (byte b = reply.getByte(digit); b >= '0' && b <= '9'; b = reply.getByte(++digit)) {
      value = Math.subtractExact(Math.multiplyExact(value, 10), b - '0');
    }
    if (digit == first || reply.getByte(digit) != '\r' || reply.getByte(digit + 1) != '\n') {
      throw new UnmergeableException(); // the scanner does not check the digits of integers
    }
    position = digit + 2;
    return negative ? value : Math.negateExact(value);
  }
}
