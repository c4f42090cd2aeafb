package io.penstock.core.cluster;

import io.netty.buffer.ByteBuf;
import io.penstock.core.upstream.Partitioner;

/** The partitions of a Redis Cluster are its slots. */
public enum SlotPartitioner implements Partitioner {
  INSTANCE;

  @Override
  public int partitions() {
    return SlotMap.SLOTS;
  }

  @Override
  public int partitionOf(ByteBuf buffer, int offset, int length) {
    return Slot.of(buffer, offset, length);
  }

  @Override
  public int partitionOf(byte[] key) {
    return Slot.of(key);
  }

  @Override
  public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
    return Slot.isDecidedBy(buffer, offset, length);
  }
}
