package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/** Austin Appleby's MurmurHash2, with the seed that twemproxy gives it. */
final class Murmur {

  private static final int MULTIPLIER = 0x5BD1_E995;

  private Murmur() {}

  static long of(ByteBuf buffer, int offset, int length) {
    int words = offset + (length & -Integer.BYTES);
    int hash = 0xDEAD_BEEF * length ^ length;
    for (int i = offset; i < words; i += Integer.BYTES) {
      int word = buffer.getIntLE(i) * MULTIPLIER;
      hash = hash * MULTIPLIER ^ (word ^ word >>> 24) * MULTIPLIER;
    }
    int rest = length & Integer.BYTES - 1;
    if (rest > 0) {
      hash = (hash ^ (int) KeyBytes.tail(buffer, offset, length, rest)) * MULTIPLIER;
    }
    hash = (hash ^ hash >>> 13) * MULTIPLIER;
    return Integer.toUnsignedLong(hash ^ hash >>> 15);
  }
}
