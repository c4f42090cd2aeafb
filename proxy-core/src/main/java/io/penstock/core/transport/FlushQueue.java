package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sockets of one event loop that have something to send. One task, queued with the first of
 * them, runs after the turn's reads and writes each socket once: requests of different clients for
 * one node leave in one system call. Confined to its event loop.
 */
public final class FlushQueue implements Runnable {

  /** Capacity of the buffers that small pieces are collected in. */
  static final int BUFFER_SIZE = 16 * 1024;

  private static final int SPARE_BUFFERS = 32;

  private final EventLoop loop;
  private SocketOutput[] dirty = new SocketOutput[64];
  private int size;
  private final @Nullable ByteBuf[] spare = new ByteBuf[SPARE_BUFFERS];
  private int spares;
  private boolean closed;

  public FlushQueue(EventLoop loop) {
    this.loop = loop;
  }

  void add(SocketOutput output) {
    if (size == dirty.length) {
      dirty = Arrays.copyOf(dirty, size * 2);
    }
    if (size == 0) {
      loop.execute(this);
    }
    dirty[size++] = output;
  }

  /** Flushes what is dirty, also what becomes dirty meanwhile. */
  @Override
  public void run() {
    int flushed = 0;
    try {
      while (flushed < size) {
        dirty[flushed++].flush();
      }
    } finally {
      // One failure must not leave the others unwritten.
      int rest = size - flushed;
      System.arraycopy(dirty, flushed, dirty, 0, rest);
      Arrays.fill(dirty, rest, size, null);
      size = rest;
      if (rest > 0) {
        loop.execute(this);
      }
    }
  }

  /** An empty buffer; the caller owns it. */
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
   * Takes the caller's reference back: kept for the next turn when nobody else holds one.
   *
   * @return whether it was the last one
   */
  boolean giveBack(ByteBuf buffer) {
    if (!closed
        && spares < SPARE_BUFFERS
        && buffer.refCnt() == 1
        && buffer.capacity() == BUFFER_SIZE) {
      spare[spares++] = buffer.clear();
      return true;
    }
    return buffer.release();
  }

  /** Releases the spare buffers at the loop's end, and keeps none from here on. */
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
