package io.penstock.core.spec;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;

/** Reads command names, keywords and integers from a buffer as Redis does: ASCII, no copy. */
public final class Ascii {

  /** Returned by {@link #parseLong} for bytes that are not an integer, and for nothing else. */
  public static final long NOT_A_LONG = Long.MIN_VALUE;

  private static final long LOW_SEVEN_BITS = 0x7F7F7F7F7F7F7F7FL;
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long ONES = 0x0101010101010101L;
  private static final int MAX_DIGITS = 19;

  private Ascii() {}

  /** Converts the ASCII letters among eight bytes to lower case at once. */
  public static long toLower(long word) {
    long sevenBits = word & LOW_SEVEN_BITS;
    long fromA = sevenBits + (0x80 - 'A') * ONES;
    long aboveZ = sevenBits + (0x7F - 'Z') * ONES;
    long upper = ~word & (fromA ^ aboveZ) & HIGH_BITS;
    return word | (upper >>> 2);
  }

  /**
   * Returns up to eight bytes as a little-endian word, padded with zeros. Reads beyond {@code
   * length} if the buffer is large enough: one load instead of eight.
   */
  public static long word(ByteBuf buffer, int offset, int length) {
    if (length >= Long.BYTES) {
      return buffer.getLongLE(offset);
    }
    if (offset + Long.BYTES <= buffer.capacity()) {
      return buffer.getLongLE(offset) & ((1L << (length * Byte.SIZE)) - 1);
    }
    long word = 0;
    for (int i = length - 1; i >= 0; i--) {
      word = word << Byte.SIZE | (buffer.getByte(offset + i) & 0xFF);
    }
    return word;
  }

  /**
   * Returns whether argument {@code i} is {@code text} (ASCII), ignoring case. The argument ends at
   * a NUL, if it has one: servers compare options with {@code strcasecmp}, and would otherwise see
   * an option where Penstock sees none.
   */
  public static boolean equalsIgnoreCase(RequestFrame frame, int i, String text) {
    int length = text.length();
    ByteBuf buffer = frame.buffer();
    int offset = frame.offset(i);
    if (frame.length(i) != length
        && (frame.length(i) < length || buffer.getByte(offset + length) != 0)) {
      return false;
    }
    for (int at = 0; at < length; at++) {
      if (toLower(buffer.getByte(offset + at)) != toLower(text.charAt(at))) {
        return false;
      }
    }
    return true;
  }

  /** Converts one ASCII letter to lower case; returns other characters unchanged. */
  public static int toLower(int character) {
    return character >= 'A' && character <= 'Z' ? character | 0x20 : character;
  }

  /**
   * Parses argument {@code i} as Redis's {@code string2ll} does: no sign but {@code -}, no leading
   * zeros, no spaces. Returns {@link #NOT_A_LONG} for anything else. The smallest integer, which
   * that value stands for, is returned as the next greater one: no command tells the two apart.
   */
  public static long parseLong(RequestFrame frame, int i) {
    ByteBuf buffer = frame.buffer();
    int at = frame.offset(i);
    int end = at + frame.length(i);
    boolean negative = at < end && buffer.getByte(at) == '-';
    if (negative) {
      at++;
    }
    int digits = end - at;
    if (digits < 1 || digits > MAX_DIGITS) {
      return NOT_A_LONG;
    }
    if (buffer.getByte(at) == '0' && (negative || digits > 1)) {
      return NOT_A_LONG;
    }
    return parseDigits(buffer, at, end, negative);
  }

  private static long parseDigits(ByteBuf buffer, int from, int end, boolean negative) {
    long value = 0;
    for (int at = from; at < end; at++) {
      int digit = buffer.getByte(at) - '0';
      if (digit < 0 || digit > 9) {
        return NOT_A_LONG;
      }
      value = value * 10 + digit;
    }
    if (value < 0) { // Nineteen digits overflow at most once, and then the sign bit shows it.
      return negative && value == Long.MIN_VALUE ? Long.MIN_VALUE + 1 : NOT_A_LONG;
    }
    return negative ? -value : value;
  }

  /**
   * Parses argument {@code i} as C's {@code atoi} does: white space, a sign, digits, then anything.
   * Returns 0 if there are no digits, and at most {@link Integer#MAX_VALUE}.
   */
  static int atoi(RequestFrame frame, int i) {
    ByteBuf buffer = frame.buffer();
    int at = frame.offset(i);
    int end = at + frame.length(i);
    while (at < end && isSpace(buffer.getByte(at))) {
      at++;
    }
    boolean negative = at < end && buffer.getByte(at) == '-';
    if (negative || (at < end && buffer.getByte(at) == '+')) {
      at++;
    }
    long value = 0;
    for (; at < end && value < Integer.MAX_VALUE; at++) {
      int digit = buffer.getByte(at) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
    }
    int limited = (int) Math.min(value, Integer.MAX_VALUE);
    return negative ? -limited : limited;
  }

  private static boolean isSpace(byte character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
  }
}
