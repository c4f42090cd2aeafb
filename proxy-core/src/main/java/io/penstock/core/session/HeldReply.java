package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.transport.Pieces;
import io.penstock.core.transport.SocketOutput;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A reply, or the beginning of one, that cannot be written yet because an earlier one is missing.
 * Small ones are copied into an array that is kept and used again; large ones stay where they
 * arrived.
 */
final class HeldReply {

  private static final int SMALL = 256;
  private static final int SMALLEST = 16; // +OK, an integer, a key

  private byte[] small = {};
  private int smallLength;
  private @Nullable ByteBuf large;

  /** Appends bytes; borrows the buffer. */
  void append(ByteBuf buffer, int from, int to) {
    append(buffer, from, to, false);
  }

  /**
   * Appends bytes; borrows the buffer.
   *
   * @param sparing whether a small part of a buffer must not keep the rest of it
   */
  void append(ByteBuf buffer, int from, int to, boolean sparing) {
    int length = to - from;
    if (large == null && smallLength + length <= SMALL) {
      if (small.length < smallLength + length) {
        small = Arrays.copyOf(small, roomFor(smallLength + length));
      }
      buffer.getBytes(from, small, smallLength, length);
      smallLength += length;
      return;
    }
    if (length < SocketOutput.SLICE_THRESHOLD) {
      appendLarge(ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(buffer, from, length));
    } else {
      appendLarge(sparing ? Pieces.keep(buffer, from, length) : buffer.retainedSlice(from, length));
    }
  }

  /** A power of two. */
  private static int roomFor(int length) {
    return Math.max(SMALLEST, Integer.highestOneBit(length - 1) << 1);
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

  /** Whether no byte is held. */
  boolean isEmpty() {
    ByteBuf bytes = large;
    return bytes == null ? smallLength == 0 : !bytes.isReadable();
  }

  /** Bytes held. */
  int size() {
    ByteBuf bytes = large;
    return bytes == null ? smallLength : bytes.readableBytes();
  }

  /** Writes what is held, and holds nothing any more. */
  void moveTo(SocketOutput output) {
    ByteBuf bytes = large;
    if (bytes != null) {
      large = null;
      output.appendOwned(bytes);
    } else if (smallLength > 0) {
      output.append(small, 0, smallLength);
    }
    smallLength = 0;
  }

  /** What is held as one buffer, borrowed: valid until the next call. */
  ByteBuf view() {
    ByteBuf bytes = large;
    if (bytes != null) {
      return bytes;
    }
    return smallLength == 0 ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(small, 0, smallLength);
  }

  /** Drops what is held. */
  void clear() {
    ByteBuf bytes = large;
    if (bytes != null) {
      large = null;
      bytes.release();
    }
    smallLength = 0;
  }
}
