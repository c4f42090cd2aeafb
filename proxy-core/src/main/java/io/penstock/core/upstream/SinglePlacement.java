package io.penstock.core.upstream;

import java.util.List;

/** A placement with a single partition, on one shard. */
public record SinglePlacement(Shard shard) implements Placement {

  /** Places all keys on a node without replicas. */
  public SinglePlacement(Endpoint server) {
    this(new Shard(server, List.of(), 0));
  }

  @Override
  public Partitioner partitioner() {
    return SinglePartitioner.INSTANCE;
  }

  @Override
  public int ownerOf(int partition) {
    return 0;
  }

  @Override
  public List<Shard> shards() {
    return List.of(shard);
  }

  @Override
  public int coveredPartitions() {
    return 1;
  }

  @Override
  public int[] firstPartitions() {
    return new int[] {0};
  }

  @Override
  public int endOfRun(int partition) {
    return partition;
  }

  @Override
  public long fingerprint() {
    return new Digest().add(shard.master().toString()).value();
  }
}
