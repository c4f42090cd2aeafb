package io.penstock.core.upstream;

import io.netty.buffer.ByteBuf;

/** A partitioner with a single partition. */
public enum SinglePartitioner implements Partitioner {
  INSTANCE;

  @Override
  public int partitions() {
    return 1;
  }

  @Override
  public int partitionOf(ByteBuf buffer, int offset, int length) {
    return 0;
  }

  @Override
  public int partitionOf(byte[] key) {
    return 0;
  }
}
