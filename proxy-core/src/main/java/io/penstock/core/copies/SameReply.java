package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.shadow.ReplyDigest;
import io.penstock.core.spec.ReplyComparison;
import java.nio.charset.StandardCharsets;

/**
 * Compares replies that may be of different protocols: a client's reply in RESP3 with a copy's in
 * RESP2. They are the same if their scalars are, in this order. How these are grouped is not
 * compared: a map of one protocol is a flat or a nested array of the other. Numbers with a fraction
 * are compared as numbers where the protocol says that they are some: versions of servers print
 * them differently.
 */
final class SameReply {

  private static final int LONGEST_NUMBER = 40;

  private SameReply() {}

  /** Returns whether both are the same; each whole and well-formed. Borrows the buffers. */
  static boolean isSame(ByteBuf one, ByteBuf other) {
    var left = new Scalars(one);
    var right = new Scalars(other);
    while (left.next()) {
      if (!right.next() || !left.isSame(right)) {
        return false;
      }
    }
    return !right.next();
  }

  /**
   * Returns whether both are the same, as replies to one command; each whole and well-formed.
   * Borrows the buffers.
   *
   * @param comparison of the command: the order of the elements may make no difference
   */
  static boolean isSame(ByteBuf one, ByteBuf other, ReplyComparison comparison) {
    if (!comparison.ignoresOrder() || !hasElements(one) || !hasElements(other)) {
      return isSame(one, other);
    }
    boolean numbers = hasDoubles(one) || hasDoubles(other);
    return digest(one, comparison, numbers).isSameAs(digest(other, comparison, numbers));
  }

  private static boolean hasElements(ByteBuf reply) {
    byte type = reply.getByte(reply.readerIndex());
    return type == '*' || type == '~' || type == '%';
  }

  private static boolean hasDoubles(ByteBuf reply) {
    var scalars = new Scalars(reply);
    while (scalars.next()) {
      if (scalars.type == ',') {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns a digest of the reply as it would be in RESP2.
   *
   * @param numbers whether texts that are numbers count as such
   */
  private static ReplyDigest digest(ByteBuf reply, ReplyComparison comparison, boolean numbers) {
    ByteBuf plain = Unpooled.buffer(reply.readableBytes());
    var scalars = new Scalars(reply);
    while (scalars.at < scalars.end) {
      scalars.read();
      scalars.writePlain(plain, numbers);
    }
    var digest = new ReplyDigest(comparison);
    digest.add(plain, 0, plain.writerIndex());
    digest.end();
    return digest;
  }

  /** The scalars of a reply, one after the other: those within aggregates, not the aggregates. */
  private static final class Scalars {

    private final ByteBuf buffer;
    private int at;
    private final int end;
    private byte type; // '_' for null in either protocol
    private int from; // of the content
    private int to;

    Scalars(ByteBuf buffer) {
      this.buffer = buffer;
      this.at = buffer.readerIndex();
      this.end = buffer.writerIndex();
    }

    /** Moves to the next one. Returns false at the end. */
    boolean next() {
      while (at < end) {
        read();
        if (!isHeader()) {
          return true;
        }
      }
      return false;
    }

    private boolean isHeader() {
      return type == '*' || type == '~' || type == '%' || type == '>' || type == '|';
    }

    private void read() {
      type = buffer.getByte(at);
      from = at + 1;
      at = buffer.indexOf(from, end, (byte) '\n') + 1;
      to = at - 2;
      if (buffer.getByte(from) == '-' && (type == '$' || type == '*')) {
        type = '_';
      }
      if (type == '_') {
        to = from;
      } else if (type == '$' || type == '=' || type == '!') {
        readBulk();
      }
    }

    private void readBulk() {
      int length = 0;
      for (int i = from; i < to; i++) {
        length = length * 10 + (buffer.getByte(i) - '0');
      }
      from = at;
      to = at + length;
      at = to + 2;
      if (type == '=') {
        from += 4; // txt:
      }
    }

    boolean isSame(Scalars that) {
      if (isNull() || that.isNull()) {
        return isNull() && that.isNull();
      }
      if (isError() != that.isError()) {
        return false;
      }
      return hasContent(that) || isSameNumber(that);
    }

    /** Writes what was read as RESP2: an array, or a string with its content. */
    void writePlain(ByteBuf out, boolean numbers) {
      if (isHeader()) {
        long count = Long.parseLong(text()) * (type == '%' ? 2 : 1);
        out.writeCharSequence("*" + count + "\r\n", StandardCharsets.US_ASCII);
        return;
      }
      if (isNull()) {
        out.writeCharSequence("$-1\r\n", StandardCharsets.US_ASCII);
        return;
      }
      double number = numbers ? number() : Double.NaN;
      String content = Double.isNaN(number) ? text() : Double.toString(number);
      out.writeCharSequence(
          "$" + content.length() + "\r\n" + content + "\r\n", StandardCharsets.ISO_8859_1);
    }

    /** Returns the content, a character for each byte. */
    private String text() {
      return type == '#'
          ? String.valueOf((char) content(0))
          : buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
    }

    private boolean isNull() {
      return type == '_';
    }

    private boolean isError() {
      return type == '-' || type == '!';
    }

    private boolean hasContent(Scalars that) {
      if (to - from != that.to - that.from) {
        return false;
      }
      for (int i = 0; i < to - from; i++) {
        if (content(i) != that.content(i)) {
          return false;
        }
      }
      return true;
    }

    /** A boolean is an integer in RESP2. */
    private byte content(int i) {
      byte content = buffer.getByte(from + i);
      return type != '#' ? content : (byte) (content == 't' ? '1' : '0');
    }

    private boolean isSameNumber(Scalars that) {
      if (type != ',' && that.type != ',') {
        return false;
      }
      double own = number();
      return !Double.isNaN(own) && own == that.number();
    }

    private double number() {
      if (to - from > LONGEST_NUMBER) {
        return Double.NaN;
      }
      String text = buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
      try {
        return Double.parseDouble(text);
      } catch (NumberFormatException _) {
        return Double.NaN; // inf and nan are printed alike by all
      }
    }
  }
}
