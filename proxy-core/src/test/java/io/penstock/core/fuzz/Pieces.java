package io.penstock.core.fuzz;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;

/**
 * The bytes of an input, cut as a socket may cut them: where is decided by the input's first bytes,
 * so that the same input is always cut the same way. Counts the memory that is left behind.
 */
public final class Pieces {

  private static final int MULTIPLIER = 1_103_515_245;
  private static final int INCREMENT = 12_345;

  private final byte[] bytes;
  private final int longest;
  private int at;
  private int state;

  /**
   * @param from index of the first byte to hand out
   * @param seed decides where the bytes are cut
   */
  public Pieces(byte[] bytes, int from, int seed) {
    this.bytes = bytes;
    this.at = from;
    this.state = seed;
    this.longest = 1 + (seed & 0x1F) * (seed & 0x1F);
  }

  public boolean hasNext() {
    return at < bytes.length;
  }

  /** A number from 0 to {@code bound} - 1. */
  public int random(int bound) {
    state = state * MULTIPLIER + INCREMENT;
    return (state >>> 16) % bound;
  }

  /** The next piece in a direct buffer of its own, as sockets give them; the caller owns it. */
  public ByteBuf next() {
    int length = Math.min(bytes.length - at, 1 + random(longest));
    ByteBuf piece = ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(bytes, at, length);
    at += length;
    return piece;
  }

  /** Direct memory that is taken and not given back; exact with {@code allocator.type=unpooled}. */
  public static long memory() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }
}
