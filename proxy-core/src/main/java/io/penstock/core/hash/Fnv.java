package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/**
 * The hash functions FNV-1 and FNV-1a in 32 bits. The lower half of the 64-bit FNV-1 depends on
 * lower halves only, so 32 bits are enough for it too.
 *
 * @param sign {@link KeyBytes#SIGNED} or {@link KeyBytes#UNSIGNED}
 */
record Fnv(int initial, int prime, int sign) {

  /** With the lower halves of the 64-bit constants 0xcbf29ce484222325 and 0x100000001b3. */
  static final Fnv OF_64 = new Fnv(0x8422_2325, 0x1B3, KeyBytes.SIGNED);

  static final Fnv OF_64_UNSIGNED = new Fnv(0x8422_2325, 0x1B3, KeyBytes.UNSIGNED);
  static final Fnv OF_32 = new Fnv(0x811C_9DC5, 0x100_0193, KeyBytes.SIGNED);
  static final Fnv OF_32_UNSIGNED = new Fnv(0x811C_9DC5, 0x100_0193, KeyBytes.UNSIGNED);

  /** Multiplies, then adds the byte. */
  long fnv1(ByteBuf buffer, int offset, int length) {
    int words = offset + (length & -Long.BYTES);
    int hash = initial;
    for (int i = offset; i < words; i += Long.BYTES) {
      long word = buffer.getLongLE(i);
      for (int k = 0; k < Long.BYTES; k++) {
        hash = hash * prime ^ ((byte) word & sign);
        word >>>= Byte.SIZE;
      }
    }
    int rest = length & Long.BYTES - 1;
    long word = KeyBytes.tail(buffer, offset, length, rest);
    for (int k = 0; k < rest; k++) {
      hash = hash * prime ^ ((byte) word & sign);
      word >>>= Byte.SIZE;
    }
    return Integer.toUnsignedLong(hash);
  }

  /** Adds the byte, then multiplies. */
  long fnv1a(ByteBuf buffer, int offset, int length) {
    int words = offset + (length & -Long.BYTES);
    int hash = initial;
    for (int i = offset; i < words; i += Long.BYTES) {
      long word = buffer.getLongLE(i);
      for (int k = 0; k < Long.BYTES; k++) {
        hash = (hash ^ ((byte) word & sign)) * prime;
        word >>>= Byte.SIZE;
      }
    }
    int rest = length & Long.BYTES - 1;
    long word = KeyBytes.tail(buffer, offset, length, rest);
    for (int k = 0; k < rest; k++) {
      hash = (hash ^ ((byte) word & sign)) * prime;
      word >>>= Byte.SIZE;
    }
    return Integer.toUnsignedLong(hash);
  }
}
