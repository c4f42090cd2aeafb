package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/** Reads the bytes of keys several at a time. */
final class KeyBytes {

  /** Extends a byte as C's signed {@code char}: {@code (byte) b & SIGNED}. */
  static final int SIGNED = -1;

  /** Extends a byte as C's unsigned {@code char}: {@code (byte) b & UNSIGNED}. */
  static final int UNSIGNED = 0xFF;

  private KeyBytes() {}

  /**
   * Returns the last {@code count} bytes of a key as a little-endian word, with zeros above.
   *
   * @param count 0 to 7, at most {@code length}
   */
  static long tail(ByteBuf buffer, int offset, int length, int count) {
    int end = offset + length;
    if (count == 0) {
      return 0;
    }
    if (length >= Long.BYTES) {
      return buffer.getLongLE(end - Long.BYTES) >>> ((Long.BYTES - count) * Byte.SIZE);
    }
    long word = 0;
    for (int i = end - 1; i >= end - count; i--) {
      word = word << Byte.SIZE | buffer.getUnsignedByte(i);
    }
    return word;
  }
}
