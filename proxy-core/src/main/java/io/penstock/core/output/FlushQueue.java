package io.penstock.core.output;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of one event loop with pending output. Each is written once, after the reads of the
 * loop turn, so requests of different clients for one node are sent in one system call. Confined to
 * its event loop.
 */
public final class FlushQueue {

  /** Capacity of the buffers that collect small pieces. */
  static final int BUFFER_SIZE = 16 * 1024;

  private static final int SPARE_BUFFERS = 32;

  private final EndOfTurnQueue<SocketOutput> dirty;
  private final @Nullable ByteBuf[] spare = new ByteBuf[SPARE_BUFFERS];
  private int spares;
  private boolean closed;

  public FlushQueue(EventLoop loop) {
    this.dirty = new EndOfTurnQueue<>(loop, SocketOutput::flush);
  }

  void add(SocketOutput output) {
    dirty.add(output);
  }

  /** Returns whether the output that is being written is the only one of this turn. */
  boolean hasOne() {
    return dirty.hasOne();
  }

  /** Returns an empty buffer owned by the caller. */
  ByteBuf takeBuffer(ByteBufAllocator allocator) {
    if (spares > 0) {
      ByteBuf buffer = spare[--spares];
      spare[spares] = null;
      if (buffer != null) {
        return buffer;
      }
    }
    return allocator.directBuffer(BUFFER_SIZE);
  }

  /**
   * Takes ownership of the caller's reference. The buffer is kept for the next turn if there is no
   * other reference.
   *
   * @return whether it was the last reference
   */
  boolean returnBuffer(ByteBuf buffer) {
    if (!closed
        && spares < SPARE_BUFFERS
        && buffer.refCnt() == 1
        && buffer.capacity() == BUFFER_SIZE) {
      spare[spares++] = buffer.clear();
      return true;
    }
    return buffer.release();
  }

  /** Releases the spare buffers at the loop's end, and keeps none from now on. */
  public void close() {
    closed = true;
    while (spares > 0) {
      ByteBuf buffer = spare[--spares];
      spare[spares] = null;
      if (buffer != null) {
        buffer.release();
      }
    }
  }
}
