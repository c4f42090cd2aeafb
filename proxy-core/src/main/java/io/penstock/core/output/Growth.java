package io.penstock.core.output;

import io.netty.buffer.ByteBuf;

/** Growth of buffers that collect arriving bytes. */
public final class Growth {

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private Growth() {}

  /**
   * Ensures room for {@code more} bytes after the written ones; borrows the buffer. The capacity is
   * doubled: growing by steps would copy a value of hundreds of megabytes again and again.
   */
  public static void ensureRoom(ByteBuf buffer, int more) {
    long needed = (long) buffer.writerIndex() + more;
    if (needed > buffer.capacity()) {
      buffer.capacity((int) Math.min(LARGEST, Math.max(needed, 2L * buffer.capacity())));
    }
  }
}
