package io.penstock.core.upstream;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable snapshot of where keys are. Each key belongs to a partition, and each partition to
 * one shard or to none. A Redis Cluster has 16,384 partitions, its slots; a single server has one.
 * Safe from any thread.
 *
 * <p>A shard is identified by its index in {@link #shards()}, so that an event loop can keep its
 * connections in an array of the same order.
 */
public interface Placement {

  /** The result of {@link #ownerOf} for a partition that no shard serves. */
  int UNCOVERED = -1;

  /** Returns the partitioner, which is the same for all placements of one upstream. */
  Partitioner partitioner();

  /** Returns the number of partitions, at least 1. They are numbered from 0. */
  default int partitions() {
    return partitioner().partitions();
  }

  /** Returns whether keys may be at different nodes, so that commands are routed by their keys. */
  default boolean isDivided() {
    return partitions() > 1;
  }

  /** Returns whether a partition may move to another node while it is in use. */
  default boolean mayMigrate() {
    return isDivided();
  }

  /**
   * Returns whether shards are separate systems. Each of them has its own databases, and its own
   * published messages ({@link #busOf}).
   */
  default boolean hasSeparateSystems() {
    return !hasOneBus();
  }

  /** Returns whether all partitions are slots of one Redis Cluster. */
  default boolean isOneCluster() {
    return isDivided() && !hasSeparateSystems();
  }

  /** Returns the index in {@link #shards()} of the partition's owner, or {@link #UNCOVERED}. */
  int ownerOf(int partition);

  /** Returns all shards. The order is valid for this snapshot only. */
  List<Shard> shards();

  /** Returns how many partitions have an owner, 0 to {@link #partitions()}. */
  int coveredPartitions();

  /**
   * Returns, for each shard, the lowest partition that it owns, or {@link #UNCOVERED} if it owns
   * none.
   */
  int[] firstPartitions();

  /**
   * Returns the last partition of the contiguous run with the same owner that contains {@code
   * partition}.
   */
  int endOfRun(int partition);

  /**
   * Returns the nodes that reads may go to, for all partitions that have the same: as a master and
   * its replicas. These are the shards, unless replicas are systems of their own, which divide the
   * partitions differently. The order is valid for this snapshot only.
   */
  default List<Shard> readShards() {
    return shards();
  }

  /** Returns the index in {@link #readShards} of a partition, or {@link #UNCOVERED}. */
  default int readShardOf(int partition) {
    return ownerOf(partition);
  }

  /**
   * Returns whether the replicas of a shard are systems of their own: what they replicate, and how
   * far they are behind, is not known.
   *
   * @param shard index in {@link #shards}
   */
  default boolean hasIndependentReplicas(int shard) {
    return false;
  }

  /**
   * Returns whether the master of a shard is read as its replicas are, also by a policy that only
   * reads replicas.
   *
   * @param shard index in {@link #shards}
   */
  default boolean readsMaster(int shard) {
    return false;
  }

  /**
   * Returns the rank of a node among those that reads of a shard may go to: only nodes with the
   * lowest rank of those that may be read now are read.
   *
   * @param readShard index in {@link #readShards}
   */
  default int readRank(int readShard, Endpoint node) {
    return 0;
  }

  /**
   * Returns a number that is the same for all shards that forward published messages to each other,
   * as the nodes of a Redis Cluster do: 0 for all unless the placement combines several systems.
   */
  default int busOf(int shard) {
    return 0;
  }

  /** Returns how many numbers {@link #busOf} returns, at least 1: all from 0. */
  default int buses() {
    return 1;
  }

  /** Returns whether no shard is left out when a message is published at any of them. */
  default boolean hasOneBus() {
    return buses() == 1;
  }

  /**
   * Returns a hash of which master serves which partitions. Processes with equal assignments get
   * the same value.
   */
  long fingerprint();

  /** Returns the partition's shard, or null if no shard serves it. */
  default @Nullable Shard shardOf(int partition) {
    int owner = ownerOf(partition);
    return owner < 0 ? null : shards().get(owner);
  }

  /** Returns whether every partition has an owner. */
  default boolean isFullyCovered() {
    return coveredPartitions() == partitions();
  }

  /** Returns whether the node is the master or a replica of some shard. */
  default boolean contains(Endpoint node) {
    for (Shard shard : shards()) {
      if (shard.master().equals(node) || shard.replicas().contains(node)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the masters, in the order of the shards. */
  default List<Endpoint> masters() {
    return shards().stream().map(Shard::master).toList();
  }

  /** Returns all masters and replicas, shard by shard. The caller owns the set. */
  default Set<Endpoint> nodes() {
    Set<Endpoint> nodes = new LinkedHashSet<>();
    for (Shard shard : shards()) {
      nodes.add(shard.master());
      nodes.addAll(shard.replicas());
    }
    return nodes;
  }

  /** Returns the index of the shard with master {@code node}, or -1. */
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
