package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/** Paul Hsieh's SuperFastHash. */
final class Hsieh {

  private Hsieh() {}

  /**
   * @param sign {@link KeyBytes#SIGNED} or {@link KeyBytes#UNSIGNED}, for the third of three
   *     left-over bytes
   */
  static long of(ByteBuf buffer, int offset, int length, int sign) {
    int words = offset + (length & -Integer.BYTES);
    int hash = 0;
    for (int i = offset; i < words; i += Integer.BYTES) {
      int word = buffer.getIntLE(i);
      hash += word & 0xFFFF;
      hash = hash << 16 ^ word >>> 16 << 11 ^ hash;
      hash += hash >>> 11;
    }
    int rest = length & Integer.BYTES - 1;
    int word = (int) KeyBytes.tail(buffer, offset, length, rest);
    hash = addRest(hash, word, rest, sign);
    hash ^= hash << 3;
    hash += hash >>> 5;
    hash ^= hash << 4;
    hash += hash >>> 17;
    hash ^= hash << 25;
    hash += hash >>> 6;
    return Integer.toUnsignedLong(hash);
  }

  private static int addRest(int before, int word, int rest, int sign) {
    int hash = before + (word & 0xFFFF);
    return switch (rest) {
      case 3 -> {
        hash ^= hash << 16;
        hash ^= ((byte) (word >>> 16) & sign) << 18;
        yield hash + (hash >>> 11);
      }
      case 2 -> {
        hash ^= hash << 11;
        yield hash + (hash >>> 17);
      }
      case 1 -> {
        hash ^= hash << 10;
        yield hash + (hash >>> 1);
      }
      default -> before;
    };
  }
}
