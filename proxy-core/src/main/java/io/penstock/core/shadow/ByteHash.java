package io.penstock.core.shadow;

import io.netty.buffer.ByteBuf;

/** A 64-bit hash of bytes that arrive in parts. How they are divided makes no difference. */
public final class ByteHash {

  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
  private static final long FINAL_MULTIPLIER = 0xC4CE_B9FE_1A85_EC53L;

  private long hash;
  private long word; // bytes that do not fill a word yet
  private int filled; // of the word
  private long length;

  /**
   * Adds bytes.
   *
   * @param buffer borrowed
   */
  public void add(ByteBuf buffer, int from, int to) {
    length += to - from;
    int at = from;
    while (at < to && filled != 0) {
      addByte(buffer.getByte(at++));
    }
    for (; to - at >= Long.BYTES; at += Long.BYTES) {
      addWord(buffer.getLongLE(at));
    }
    while (at < to) {
      addByte(buffer.getByte(at++));
    }
  }

  private void addByte(byte next) {
    word |= (next & 0xFFL) << (filled * Byte.SIZE);
    if (++filled == Long.BYTES) {
      addWord(word);
      word = 0;
      filled = 0;
    }
  }

  private void addWord(long next) {
    hash = Long.rotateLeft(hash ^ (next * MULTIPLIER), 29) * FINAL_MULTIPLIER + MULTIPLIER;
  }

  /** Returns the hash of all bytes, and begins anew. */
  public long end() {
    addWord(word);
    addWord(length);
    long mixed = hash;
    mixed = (mixed ^ (mixed >>> 32)) * MULTIPLIER;
    mixed ^= mixed >>> 29;
    hash = 0;
    word = 0;
    filled = 0;
    length = 0;
    return mixed;
  }
}
