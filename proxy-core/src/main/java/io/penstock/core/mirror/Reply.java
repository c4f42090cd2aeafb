package io.penstock.core.mirror;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.resp.ReplyScanner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole, well-formed reply of a primary in either protocol, or an element of one, by its position
 * in the bytes. Borrows the buffer; its methods copy what they return.
 *
 * @param from index of the first byte
 * @param to index just past the last byte
 */
public record Reply(ByteBuf buffer, int from, int to) {

  /** Not an integer. */
  static final long NO_INTEGER = Long.MIN_VALUE;

  /** Returns the reply that a buffer holds; borrows it. */
  public static Reply of(ByteBuf buffer) {
    return new Reply(buffer, buffer.readerIndex(), buffer.writerIndex());
  }

  private byte type() {
    return buffer.getByte(from);
  }

  boolean isError() {
    return isError(buffer, from);
  }

  /** Returns whether a reply that begins at {@code from} is an error. */
  static boolean isError(ByteBuf buffer, int from) {
    byte type = buffer.getByte(from);
    return type == '-' || type == '!';
  }

  boolean isNull() {
    return isNull(buffer, from);
  }

  /** Returns whether a reply that begins at {@code from} is null in either protocol. */
  static boolean isNull(ByteBuf buffer, int from) {
    byte type = buffer.getByte(from);
    return type == '_' || ((type == '$' || type == '*') && buffer.getByte(from + 1) == '-');
  }

  boolean isPositive() {
    return isPositive(buffer, from);
  }

  /** Returns whether a reply that begins at {@code from} is an integer above 0, or true. */
  static boolean isPositive(ByteBuf buffer, int from) {
    byte type = buffer.getByte(from);
    byte first = buffer.getByte(from + 1);
    return type == '#' ? first == 't' : type == ':' && first != '-' && first != '0';
  }

  /** Returns its bytes; borrowed as the whole reply is. */
  ByteBuf slice() {
    return buffer.slice(from, to - from);
  }

  /** Returns whether it is an array, a set or a map. */
  boolean isAggregate() {
    byte type = type();
    return (type == '*' || type == '~' || type == '%') && !isNull();
  }

  boolean isMap() {
    return type() == '%';
  }

  /** Returns the number of an integer reply; otherwise {@link #NO_INTEGER}. */
  long integer() {
    return type() == ':' ? number() : NO_INTEGER;
  }

  /** Returns the content of a bulk string or of a line; null for anything else. */
  byte @Nullable [] content() {
    byte type = type();
    if (type == '$' && !isNull()) {
      int begin = afterHeader();
      return ByteBufUtil.getBytes(buffer, begin, to - 2 - begin);
    }
    return type == '+' || type == ':' || type == ','
        ? ByteBufUtil.getBytes(buffer, from + 1, to - 2 - (from + 1))
        : null;
  }

  /** Returns the elements of an array or a set, keys and values of a map; empty if it is none. */
  public List<Reply> elements() {
    List<Reply> elements = new ArrayList<>();
    if (isAggregate()) {
      var scanner = new ReplyScanner();
      int at = afterHeader();
      while (at < to) {
        int end = scanner.scan(buffer, at, to);
        if (end < 0) {
          throw new IllegalArgumentException("not a whole reply");
        }
        elements.add(new Reply(buffer, at, end));
        at = end;
      }
    }
    return elements;
  }

  /** Returns the contents of the elements that have one. */
  List<byte[]> contents() {
    List<byte[]> contents = new ArrayList<>();
    for (Reply element : elements()) {
      byte[] content = element.content();
      if (content != null) {
        contents.add(content);
      }
    }
    return contents;
  }

  private int afterHeader() {
    return buffer.indexOf(from, to, (byte) '\n') + 1;
  }

  private long number() {
    int at = from + 1;
    boolean negative = buffer.getByte(at) == '-';
    long value = 0;
    for (at = negative ? at + 1 : at; buffer.getByte(at) != '\r'; at++) {
      value = value * 10 + (buffer.getByte(at) - '0');
    }
    return negative ? -value : value;
  }
}
