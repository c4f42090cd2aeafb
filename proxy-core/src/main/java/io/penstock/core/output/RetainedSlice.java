package io.penstock.core.output;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * A part of a read buffer that is kept for long. A slice keeps the whole buffer alive, so bytes
 * that are only a small part of their buffer are copied instead.
 */
public final class RetainedSlice {

  private RetainedSlice() {}

  /** Returns whether a slice of that length leaves most of its buffer unused. */
  static boolean isWasteful(int length, int capacity) {
    return length < capacity / 2;
  }

  /**
   * Returns the bytes as a slice or a copy, so that little more memory than their length is kept.
   *
   * @param source borrowed
   * @return owned by the caller
   */
  public static ByteBuf of(ByteBuf source, int index, int length) {
    return isWasteful(length, source.capacity())
        ? copy(source, index, length)
        : source.retainedSlice(index, length);
  }

  static ByteBuf copy(ByteBuf source, int index, int length) {
    return ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(source, index, length);
  }
}
