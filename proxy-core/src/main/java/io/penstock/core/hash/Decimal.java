package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/** Predixy's {@code atol}: an optional sign and decimal digits, modulo 2^64. */
final class Decimal {

  private Decimal() {}

  /** Returns the number that the key begins with, or 0. */
  static long of(ByteBuf buffer, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    byte sign = buffer.getByte(offset);
    int end = offset + length;
    long value = 0;
    for (int i = sign == '+' || sign == '-' ? offset + 1 : offset; i < end; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
    }
    return sign == '-' ? -value : value;
  }
}
