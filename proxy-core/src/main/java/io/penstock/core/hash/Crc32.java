package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;

/**
 * CRC-32 of IEEE 802.3, eight bytes at a time. {@link java.util.zip.CRC32} would need an object per
 * thread.
 */
final class Crc32 {

  private static final int POLYNOMIAL = 0xEDB8_8320; // reflected

  /** Eight tables of 256 entries: table k, at 256 * k, has a byte's effect k bytes further on. */
  private static final int[] TABLES = tables();

  private Crc32() {}

  static long of(ByteBuf buffer, int offset, int length) {
    int words = offset + (length & -Long.BYTES);
    int crc = -1;
    for (int i = offset; i < words; i += Long.BYTES) {
      crc = update(crc, buffer.getLongLE(i));
    }
    int rest = length & Long.BYTES - 1;
    long word = KeyBytes.tail(buffer, offset, length, rest);
    for (int k = 0; k < rest; k++) {
      crc = crc >>> 8 ^ TABLES[(crc ^ (int) word) & 0xFF];
      word >>>= Byte.SIZE;
    }
    return Integer.toUnsignedLong(~crc);
  }

  /** Adds eight bytes, the first in the lowest bits. */
  private static int update(int crc, long word) {
    int low = (int) word ^ crc;
    int high = (int) (word >>> 32);
    return TABLES[0x700 + (low & 0xFF)]
        ^ TABLES[0x600 + (low >>> 8 & 0xFF)]
        ^ TABLES[0x500 + (low >>> 16 & 0xFF)]
        ^ TABLES[0x400 + (low >>> 24)]
        ^ TABLES[0x300 + (high & 0xFF)]
        ^ TABLES[0x200 + (high >>> 8 & 0xFF)]
        ^ TABLES[0x100 + (high >>> 16 & 0xFF)]
        ^ TABLES[high >>> 24];
  }

  private static int[] tables() {
    int[] tables = new int[8 * 256];
    for (int value = 0; value < 256; value++) {
      int crc = value;
      for (int bit = 0; bit < 8; bit++) {
        crc = crc >>> 1 ^ ((crc & 1) == 0 ? 0 : POLYNOMIAL);
      }
      tables[value] = crc;
    }
    for (int i = 256; i < tables.length; i++) {
      int before = tables[i - 256];
      tables[i] = before >>> 8 ^ tables[before & 0xFF];
    }
    return tables;
  }
}
