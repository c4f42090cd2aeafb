package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Pieces of what was read that are kept for long. A slice keeps all of the buffer that it is of,
 * which other pieces may have left long ago: only one that is most of its buffer is kept so.
 */
public final class RetainedSlice {

  private RetainedSlice() {}

  /** Whether a piece that long leaves most of its buffer unused. */
  static boolean isWasteful(int length, int capacity) {
    return length < capacity / 2;
  }

  /**
   * The bytes as a buffer that takes hardly more memory than they have.
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
