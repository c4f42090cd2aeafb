package io.penstock.core.hash;

import static java.lang.Integer.rotateLeft;

import io.netty.buffer.ByteBuf;

/** Bob Jenkins' hash functions: one-at-a-time (1997) and lookup3's {@code hashlittle} (2006). */
final class Jenkins {

  private static final int INITIAL = 0xDEAD_BEEF + 13;
  private static final int BLOCK = 3 * Integer.BYTES;

  private Jenkins() {}

  /**
   * @param sign {@link KeyBytes#SIGNED} or {@link KeyBytes#UNSIGNED}
   */
  static long oneAtATime(ByteBuf buffer, int offset, int length, int sign) {
    int words = offset + (length & -Long.BYTES);
    int hash = 0;
    for (int i = offset; i < words; i += Long.BYTES) {
      long word = buffer.getLongLE(i);
      for (int k = 0; k < Long.BYTES; k++) {
        hash = add(hash, (byte) word & sign);
        word >>>= Byte.SIZE;
      }
    }
    int rest = length & Long.BYTES - 1;
    long word = KeyBytes.tail(buffer, offset, length, rest);
    for (int k = 0; k < rest; k++) {
      hash = add(hash, (byte) word & sign);
      word >>>= Byte.SIZE;
    }
    hash += hash << 3;
    hash ^= hash >>> 11;
    hash += hash << 15;
    return Integer.toUnsignedLong(hash);
  }

  private static int add(int hash, int value) {
    int sum = hash + value;
    sum += sum << 10;
    return sum ^ sum >>> 6;
  }

  /** The last block, of 1 to 12 bytes, is mixed in another way. An empty key is not mixed. */
  static long lookup3(ByteBuf buffer, int offset, int length) {
    int a = INITIAL + length;
    if (length == 0) {
      return Integer.toUnsignedLong(a);
    }
    int b = a;
    int c = a;
    int at = offset;
    int last = offset + (length - 1) / BLOCK * BLOCK;
    for (; at < last; at += BLOCK) {
      a += buffer.getIntLE(at);
      b += buffer.getIntLE(at + 4);
      c += buffer.getIntLE(at + 8);
      a = (a - c) ^ rotateLeft(c, 4);
      c += b;
      b = (b - a) ^ rotateLeft(a, 6);
      a += c;
      c = (c - b) ^ rotateLeft(b, 8);
      b += a;
      a = (a - c) ^ rotateLeft(c, 16);
      c += b;
      b = (b - a) ^ rotateLeft(a, 19);
      a += c;
      c = (c - b) ^ rotateLeft(b, 4);
      b += a;
    }
    int rest = offset + length - at;
    if (rest >= Long.BYTES) {
      a += buffer.getIntLE(at);
      b += buffer.getIntLE(at + 4);
      c += (int) KeyBytes.tail(buffer, offset, length, rest - Long.BYTES);
    } else {
      long word = KeyBytes.tail(buffer, offset, length, rest);
      a += (int) word;
      b += (int) (word >>> Integer.SIZE);
    }
    return finish(a, b, c);
  }

  private static long finish(int first, int second, int third) {
    int a = first;
    int b = second;
    int c = third;
    c = (c ^ b) - rotateLeft(b, 14);
    a = (a ^ c) - rotateLeft(c, 11);
    b = (b ^ a) - rotateLeft(a, 25);
    c = (c ^ b) - rotateLeft(b, 16);
    a = (a ^ c) - rotateLeft(c, 4);
    b = (b ^ a) - rotateLeft(a, 14);
    c = (c ^ b) - rotateLeft(b, 24);
    return Integer.toUnsignedLong(c);
  }
}
