package io.penstock.core.cluster;

import io.netty.buffer.ByteBuf;

/**
 * A key's hash slot: CRC16 (XMODEM: polynomial 0x1021, initial value 0, not reflected) of the key,
 * or of its hash tag, modulo {@link SlotMap#SLOTS}.
 *
 * <p>The hash tag is the text between the first <code>{</code> and the first <code>}</code> after
 * it. If it is empty or not closed, the whole key is hashed (Redis Cluster specification, "Hash
 * tags").
 *
 * <p>Allocates nothing. Reads eight bytes at a time; each word is searched for a brace and added to
 * the checksum, so that a key without a tag is read once.
 */
public final class Slot {

  private static final int POLYNOMIAL = 0x1021;
  private static final int MASK = SlotMap.SLOTS - 1;
  private static final int NONE = -1;

  private static final long LOW_BITS = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = LOW_BITS << 7;
  private static final long BRACES = LOW_BITS * '{';

  /** Eight tables of 256 entries: table k, at 256 * k, has a byte's effect k bytes further on. */
  private static final char[] TABLES = tables();

  private Slot() {}

  /**
   * Returns the slot of the key at {@code offset}, an absolute index. Borrows {@code buffer} and
   * moves none of its indexes.
   */
  public static int of(ByteBuf buffer, int offset, int length) {
    int end = offset + length;
    int crc = 0;
    int i = offset;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long word = buffer.getLong(i);
      if (hasBrace(word)) {
        return ofBraced(buffer, offset, i, end);
      }
      crc = update(crc, word);
    }
    for (; i < end; i++) {
      byte b = buffer.getByte(i);
      if (b == '{') {
        return ofBraced(buffer, offset, i, end);
      }
      crc = update(crc, b);
    }
    return crc & MASK;
  }

  /** Returns whether all keys that begin with this text are in one slot: it has a hash tag. */
  public static boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
    int end = offset + length;
    int open = indexOf(buffer, '{', offset, end);
    return open >= 0 && indexOf(buffer, '}', open + 1, end) > open + 1;
  }

  /** Returns the slot of a key. */
  public static int of(byte[] key) {
    int open = indexOf(key, '{', 0);
    int close = open < 0 ? NONE : indexOf(key, '}', open + 1);
    boolean tagged = close > open + 1;
    int end = tagged ? close : key.length;
    int crc = 0;
    for (int i = tagged ? open + 1 : 0; i < end; i++) {
      crc = update(crc, key[i]);
    }
    return crc & MASK;
  }

  /** {@code from} is at or before the first opening brace, and no brace is before it. */
  private static int ofBraced(ByteBuf buffer, int offset, int from, int end) {
    int open = indexOf(buffer, '{', from, end);
    int close = indexOf(buffer, '}', open + 1, end);
    boolean tagged = close > open + 1;
    return crc16(0, buffer, tagged ? open + 1 : offset, tagged ? close : end) & MASK;
  }

  /**
   * Returns the CRC16 of the bytes from {@code from} to {@code end}, absolute indexes, 0 to 65535.
   * Borrows {@code buffer} and moves none of its indexes.
   *
   * @param before the CRC16 of what comes before these bytes; 0 if nothing does
   */
  public static int crc16(int before, ByteBuf buffer, int from, int end) {
    int crc = before;
    int i = from;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      crc = update(crc, buffer.getLong(i));
    }
    for (; i < end; i++) {
      crc = update(crc, buffer.getByte(i));
    }
    return crc;
  }

  /**
   * Returns whether one of the word's bytes is an opening brace: the usual test for a zero byte,
   * after xor.
   */
  private static boolean hasBrace(long word) {
    long x = word ^ BRACES;
    return ((x - LOW_BITS) & ~x & HIGH_BITS) != 0;
  }

  private static int update(int crc, byte b) {
    return (crc << 8 & 0xFF00) ^ TABLES[(crc >>> 8) ^ (b & 0xFF)];
  }

  /**
   * Adds eight bytes, the first in the highest bits. The indexes are sums so that the compiler can
   * prove their range.
   */
  private static int update(int crc, long word) {
    int high = (int) (word >>> 32) ^ crc << 16;
    int low = (int) word;
    return TABLES[0x700 + (high >>> 24)]
        ^ TABLES[0x600 + (high >>> 16 & 0xFF)]
        ^ TABLES[0x500 + (high >>> 8 & 0xFF)]
        ^ TABLES[0x400 + (high & 0xFF)]
        ^ TABLES[0x300 + (low >>> 24)]
        ^ TABLES[0x200 + (low >>> 16 & 0xFF)]
        ^ TABLES[0x100 + (low >>> 8 & 0xFF)]
        ^ TABLES[low & 0xFF];
  }

  private static int indexOf(ByteBuf buffer, char wanted, int from, int end) {
    for (int i = from; i < end; i++) {
      if (buffer.getByte(i) == wanted) {
        return i;
      }
    }
    return NONE;
  }

  private static int indexOf(byte[] key, char wanted, int from) {
    for (int i = from; i < key.length; i++) {
      if (key[i] == wanted) {
        return i;
      }
    }
    return NONE;
  }

  private static char[] tables() {
    char[] tables = new char[8 * 256];
    for (int value = 0; value < 256; value++) {
      int crc = value << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc << 1) ^ ((crc & 0x8000) == 0 ? 0 : POLYNOMIAL);
      }
      tables[value] = (char) crc;
    }
    for (int i = 256; i < tables.length; i++) {
      int before = tables[i - 256];
      tables[i] = (char) (before << 8 ^ tables[before >>> 8]);
    }
    return tables;
  }
}
