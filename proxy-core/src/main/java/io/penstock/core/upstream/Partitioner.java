package io.penstock.core.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/**
 * Divides all keys into partitions. Immutable, safe from any thread. An upstream never changes its
 * partitioner.
 */
public interface Partitioner {

  /** Returns the number of partitions, at least 1. They are numbered from 0. */
  int partitions();

  /**
   * Returns the partition of the key at {@code offset}, an absolute index. Borrows {@code buffer}
   * and does not change its indexes. Allocates nothing.
   */
  int partitionOf(ByteBuf buffer, int offset, int length);

  /**
   * Returns whether all keys that begin with the text at {@code offset} are in the same partition,
   * as with a hash tag.
   */
  default boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
    return false;
  }

  /** Returns whether all keys that begin with the text at {@code offset} are in a partition. */
  default boolean has(int partition, ByteBuf buffer, int offset, int length) {
    return isDecidedBy(buffer, offset, length) && partitionOf(buffer, offset, length) == partition;
  }

  /**
   * Returns whether keys that begin with the text at {@code offset} may be outside a partition, on
   * a server that its server does not know. The nodes of a Redis Cluster check that themselves.
   */
  default boolean mayLeave(int partition, ByteBuf buffer, int offset, int length) {
    return false;
  }

  /**
   * Returns whether keys may be in a partition at present; false while others have all of its keys.
   * Any thread.
   */
  default boolean isInUse(int partition) {
    return true;
  }

  /**
   * Returns texts of which one must be at the beginning of a key in the partition, some of them if
   * there are many; the characters are bytes. Any key may be in it by default.
   */
  default List<String> beginnings(int partition) {
    return List.of("");
  }

  /** Returns the partition of a key. */
  default int partitionOf(byte[] key) {
    return partitionOf(Unpooled.wrappedBuffer(key), 0, key.length);
  }
}
