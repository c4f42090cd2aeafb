package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/** The polynomial of the bytes: {@code h = multiplier * h + byte}, in 32 bits. */
final class Polynomial {

  private Polynomial() {}

  /**
   * @param sign {@link KeyBytes#SIGNED} or {@link KeyBytes#UNSIGNED}
   */
  static int of(ByteBuf buffer, int offset, int length, int multiplier, int sign) {
    int square = multiplier * multiplier;
    int words = offset + (length & -Integer.BYTES);
    int hash = 0;
    for (int i = offset; i < words; i += Integer.BYTES) {
      int word = buffer.getIntLE(i);
      int high = ((byte) word & sign) * multiplier + ((byte) (word >>> 8) & sign);
      int low = ((byte) (word >>> 16) & sign) * multiplier + ((byte) (word >>> 24) & sign);
      hash = hash * (square * square) + high * square + low;
    }
    int rest = length & Integer.BYTES - 1;
    int word = (int) KeyBytes.tail(buffer, offset, length, rest);
    for (int k = 0; k < rest; k++) {
      hash = hash * multiplier + ((byte) word & sign);
      word >>>= Byte.SIZE;
    }
    return hash;
  }
}
