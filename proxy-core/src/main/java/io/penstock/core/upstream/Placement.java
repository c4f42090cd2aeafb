package io.penstock.core.upstream;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable snapshot of where keys are: each key belongs to a partition, and each partition to
 * one shard or to none. A Redis Cluster has 16,384 partitions, its slots; a single server has one.
 * Safe from any thread.
 *
 * <p>A shard is named by its index in {@link #shards()}, so that an event loop can keep its
 * connections in an array of the same order.
 */
public interface Placement {

  /** What {@link #ownerOf} returns for a partition that no shard serves. */
  int UNCOVERED = -1;

  /** Which keys belong to which partition: the same for all placements of one upstream. */
  Partitioner partitioner();

  /** How many partitions there are, at least 1: they are numbered from 0. */
  default int partitions() {
    return partitioner().partitions();
  }

  /** Index into {@link #shards()} of the partition's owner, or {@link #UNCOVERED}. */
  int ownerOf(int partition);

  /** All shards, in an order that holds for this snapshot only. */
  List<Shard> shards();

  /** How many partitions have an owner, 0 to {@link #partitions()}. */
  int coveredPartitions();

  /** By shard, the lowest partition that it owns, or {@link #UNCOVERED} if it owns none. */
  int[] firstPartitions();

  /**
   * The last of the partitions from {@code partition} on that have the same owner without a gap.
   */
  int endOfRun(int partition);

  /**
   * A digest of which master serves which partitions. It is the same in every process that knows of
   * the same ones.
   */
  long fingerprint();

  /** The partition's shard, or null when no shard serves it. */
  default @Nullable Shard shardOf(int partition) {
    int owner = ownerOf(partition);
    return owner < 0 ? null : shards().get(owner);
  }

  /** Whether each partition has an owner. */
  default boolean isFullyCovered() {
    return coveredPartitions() == partitions();
  }

  /** Whether the node is a master or a replica of some shard. */
  default boolean contains(Endpoint node) {
    for (Shard shard : shards()) {
      if (shard.master().equals(node) || shard.replicas().contains(node)) {
        return true;
      }
    }
    return false;
  }

  /** The masters, in the order of their shards. */
  default List<Endpoint> masters() {
    return shards().stream().map(Shard::master).toList();
  }

  /** All masters and replicas, shard by shard. The set is the caller's. */
  default Set<Endpoint> nodes() {
    Set<Endpoint> nodes = new LinkedHashSet<>();
    for (Shard shard : shards()) {
      nodes.add(shard.master());
      nodes.addAll(shard.replicas());
    }
    return nodes;
  }

  /** Index of the shard whose master is {@code node}, or -1. */
  default int indexOfMaster(Endpoint node) {
    List<Shard> shards = shards();
    for (int i = 0; i < shards.size(); i++) {
      if (shards.get(i).master().equals(node)) {
        return i;
      }
    }
    return -1;
  }
}
