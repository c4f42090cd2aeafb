package io.penstock.core.shadow;

import io.netty.buffer.ByteBuf;
import io.penstock.core.spec.ReplyComparison;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a reply to compare it with another one: its type, its length and a hash, whatever
 * its size; of an error, its first word. Replies of commands without an order of elements are equal
 * in any order.
 */
public final class ReplyDigest {

  private final ReplyComparison comparison;
  private final ByteHash bytes = new ByteHash(); // of all bytes, or of what precedes the elements
  private @Nullable UnorderedHash elements;
  private boolean headerEnded;
  private byte type;
  private @Nullable String error;
  private long length;
  private long hash;

  public ReplyDigest(ReplyComparison comparison) {
    this.comparison = comparison;
  }

  /**
   * Adds the next part of the reply.
   *
   * @param buffer borrowed
   */
  public void add(ByteBuf buffer, int from, int to) {
    if (from == to) {
      return;
    }
    if (length == 0) {
      begin(buffer, from, to);
    }
    length += to - from;
    UnorderedHash unordered = elements;
    if (unordered == null) {
      bytes.add(buffer, from, to);
    } else {
      int at = headerEnded ? from : addHeader(buffer, from, to);
      unordered.add(buffer, at, to);
    }
  }

  private void begin(ByteBuf buffer, int from, int to) {
    type = buffer.getByte(from);
    if (type == '-') {
      error = firstWord(buffer, from + 1, to);
    } else if (comparison.ignoresOrder()) {
      boolean pairs = type == '%' || comparison == ReplyComparison.PAIRS_IN_ANY_ORDER;
      elements =
          switch (type) {
            case '*', '~', '%' -> new UnorderedHash(pairs ? 2 : 1);
            default -> null;
          };
    }
  }

  private static String firstWord(ByteBuf buffer, int from, int to) {
    int end = from;
    while (end < to && buffer.getByte(end) > ' ') {
      end++;
    }
    return buffer.toString(from, end - from, StandardCharsets.UTF_8);
  }

  /** Returns the index behind the header, or {@code to} if it goes on. */
  private int addHeader(ByteBuf buffer, int from, int to) {
    int newline = buffer.indexOf(from, to, (byte) '\n');
    headerEnded = newline >= 0;
    int end = headerEnded ? newline + 1 : to;
    bytes.add(buffer, from, end);
    return end;
  }

  /** The reply is complete. */
  public void end() {
    UnorderedHash unordered = elements;
    hash = bytes.end() + (unordered == null ? 0 : unordered.end());
  }

  /** Returns the hash, once the reply is complete. */
  public long value() {
    return hash ^ Long.rotateLeft(length, 32);
  }

  /** The first word of an error reply; null for any other. */
  @Nullable String error() {
    return error;
  }

  /**
   * Returns whether both replies say the same. Errors of two versions may differ in their texts.
   */
  public boolean isSameAs(ReplyDigest other) {
    if (error != null || other.error != null) {
      return Objects.equals(error, other.error);
    }
    return length == other.length && hash == other.hash;
  }

  /** Says what the reply is without its content, for logs. */
  String description() {
    String kind =
        switch (type) {
          case '-' -> "error " + error;
          case '+' -> "status";
          case ':' -> "integer";
          case '$', '=' -> "string";
          case '*' -> "array";
          case '~' -> "set";
          case '%' -> "map";
          case ',' -> "double";
          case '#' -> "boolean";
          case '_' -> "null";
          default -> "reply";
        };
    return "%s of %d bytes".formatted(kind, length);
  }
}
