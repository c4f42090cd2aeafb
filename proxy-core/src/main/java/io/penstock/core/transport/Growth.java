package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;

/** How buffers grow that take in what arrives, piece by piece. */
public final class Growth {

  private static final int LARGEST = Integer.MAX_VALUE - 8;

  private Growth() {}

  /**
   * Makes room for {@code more} bytes behind what is written; borrows the buffer. Doubles: growing
   * by steps would copy a value of hundreds of megabytes over and over.
   */
  public static void ensureRoom(ByteBuf buffer, int more) {
    long needed = (long) buffer.writerIndex() + more;
    if (needed > buffer.capacity()) {
      buffer.capacity((int) Math.min(LARGEST, Math.max(needed, 2L * buffer.capacity())));
    }
  }
}
