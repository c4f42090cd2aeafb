package io.penstock.core.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Divides all keys into partitions. Immutable, the same for the whole life of an upstream, and safe
 * from any thread.
 */
public interface Partitioner {

  /** How many partitions there are, at least 1: they are numbered from 0. */
  int partitions();

  /**
   * The partition of the key at {@code offset}, an absolute index. Borrows {@code buffer} and moves
   * none of its indexes. Allocates nothing.
   */
  int partitionOf(ByteBuf buffer, int offset, int length);

  /** The partition of a whole array as key. */
  default int partitionOf(byte[] key) {
    return partitionOf(Unpooled.wrappedBuffer(key), 0, key.length);
  }
}
