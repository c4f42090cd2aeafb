package io.penstock.core.upstream;

import java.util.List;

/** The placement of an upstream before its first topology: no shards, so no partition is served. */
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
