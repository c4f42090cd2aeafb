package io.penstock.core.reply;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.output.RetainedSlice;
import io.penstock.core.output.SocketOutput;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reply, or the beginning of one, that cannot be written yet because an earlier reply is missing.
 * A small reply is copied into an array that is reused; small pieces of a larger reply are copied
 * into one buffer; large pieces are retained slices of the buffer in which they arrived.
 */
public final class PendingReply {

  private static final int SMALL = 256;
  private static final int SMALLEST = 16; // +OK, an integer, a key
  private static final int LARGEST_TAIL = 16 * 1024;

  private byte[] small = {};
  private int smallLength;
  private @Nullable ByteBuf large;
  private @Nullable ByteBuf tail; // small pieces behind large

  /** Appends bytes; borrows the buffer. */
  public void append(ByteBuf buffer, int from, int to) {
    append(buffer, from, to, false);
  }

  /**
   * Appends bytes; borrows the buffer.
   *
   * @param sparing whether a small part of a buffer is copied so that it does not keep the whole
   *     buffer alive
   */
  public void append(ByteBuf buffer, int from, int to, boolean sparing) {
    int length = to - from;
    if (large == null && tail == null && smallLength + length <= SMALL) {
      if (small.length < smallLength + length) {
        small = Arrays.copyOf(small, roomFor(smallLength + length));
      }
      buffer.getBytes(from, small, smallLength, length);
      smallLength += length;
      return;
    }
    if (length < SocketOutput.SLICE_THRESHOLD) {
      tailFor(length).writeBytes(buffer, from, length);
    } else {
      seal();
      appendLarge(
          sparing ? RetainedSlice.of(buffer, from, length) : buffer.retainedSlice(from, length));
    }
  }

  /** Returns the capacity for this length: a power of two. */
  private static int roomFor(int length) {
    return Math.max(SMALLEST, Integer.highestOneBit(length - 1) << 1);
  }

  /**
   * Returns a buffer with room for {@code length} more bytes. A new one is twice as large as the
   * last.
   */
  private ByteBuf tailFor(int length) {
    ByteBuf last = tail;
    if (last == null || last.writableBytes() < length) {
      int before = last == null ? smallLength : last.readableBytes();
      int room = Math.max(length, Math.min(2 * before, LARGEST_TAIL));
      seal();
      last = ByteBufAllocator.DEFAULT.directBuffer(room);
      tail = last;
    }
    return last;
  }

  private void seal() {
    ByteBuf last = tail;
    if (last != null) {
      tail = null;
      appendLarge(last);
    }
  }

  private void appendLarge(ByteBuf piece) {
    ByteBuf before = large;
    if (before == null && smallLength == 0) {
      large = piece;
      return;
    }
    CompositeByteBuf pieces;
    if (before instanceof CompositeByteBuf composite) {
      pieces = composite;
    } else {
      pieces = ByteBufAllocator.DEFAULT.compositeDirectBuffer(Integer.MAX_VALUE);
      if (before != null) {
        pieces.addComponent(true, before);
      } else {
        pieces.addComponent(true, Unpooled.copiedBuffer(small, 0, smallLength));
        smallLength = 0;
      }
    }
    large = pieces.addComponent(true, piece);
  }

  /** Returns whether no byte is pending. */
  boolean isEmpty() {
    return size() == 0;
  }

  /** Returns the number of pending bytes. */
  public int size() {
    return readable(large) + readable(tail) + smallLength;
  }

  private static int readable(@Nullable ByteBuf bytes) {
    return bytes == null ? 0 : bytes.readableBytes();
  }

  /** Moves the pending bytes to the output. */
  void moveTo(SocketOutput output) {
    seal();
    ByteBuf bytes = large;
    if (bytes != null) {
      large = null;
      output.appendOwned(bytes);
    } else if (smallLength > 0) {
      output.append(small, 0, smallLength);
    }
    smallLength = 0;
  }

  /** Returns the pending bytes as one buffer, borrowed: valid until the next call. */
  public ByteBuf view() {
    seal();
    ByteBuf bytes = large;
    if (bytes != null) {
      return bytes;
    }
    return smallLength == 0 ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(small, 0, smallLength);
  }

  /** Drops the pending bytes. */
  public void clear() {
    release(large);
    large = null;
    release(tail);
    tail = null;
    smallLength = 0;
  }

  private static void release(@Nullable ByteBuf bytes) {
    if (bytes != null) {
      bytes.release();
    }
  }
}
