package io.penstock.core.upstream;

import java.util.List;

/** Before anything is known of an upstream: no shard, and so no partition that one serves. */
public enum UnknownPlacement implements Placement {
  INSTANCE;

  @Override
  public Partitioner partitioner() {
    return SinglePartitioner.INSTANCE;
  }

  @Override
  public int ownerOf(int partition) {
    return UNCOVERED;
  }

  @Override
  public List<Shard> shards() {
    return List.of();
  }

  @Override
  public int coveredPartitions() {
    return 0;
  }

  @Override
  public int[] firstPartitions() {
    return new int[0];
  }

  @Override
  public int endOfRun(int partition) {
    return partition;
  }

  @Override
  public long fingerprint() {
    return 0;
  }
}
