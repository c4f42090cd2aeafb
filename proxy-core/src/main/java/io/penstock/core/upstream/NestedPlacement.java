package io.penstock.core.upstream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A placement composed of placements. The outer partitioner selects the inner placement of a key,
 * and that one selects the partition. Partitions are numbered through: first those of the first
 * inner placement, then those of the second, and so on. Shards likewise. So each part may itself be
 * a cluster, or a master with replicas. Immutable.
 */
public final class NestedPlacement implements Placement {

  private final NestedPartitioner partitioner;
  private final List<Placement> inner;
  private final List<Shard> shards;
  private final List<Shard> readShards;
  private final int[] firstShard; // by inner placement
  private final int[] firstReadShard; // by inner placement
  private final int[] firstBus; // by inner placement; at the end, the number of buses

  /**
   * @param partitioner the partitioner of the upstream
   * @param inner one placement per part of the partitioner, with the partitions of that part
   */
  public NestedPlacement(NestedPartitioner partitioner, List<? extends Placement> inner) {
    this.partitioner = partitioner;
    this.inner = List.copyOf(inner);
    this.firstShard = new int[inner.size()];
    this.firstReadShard = new int[inner.size()];
    this.firstBus = new int[inner.size() + 1];
    partitioner.check(this.inner);
    List<Shard> all = new ArrayList<>();
    List<Shard> allRead = new ArrayList<>();
    for (int i = 0; i < firstShard.length; i++) {
      firstShard[i] = all.size();
      firstReadShard[i] = allRead.size();
      allRead.addAll(inner.get(i).readShards());
      firstBus[i + 1] = firstBus[i] + inner.get(i).buses();
      all.addAll(inner.get(i).shards());
    }
    this.shards = List.copyOf(all);
    this.readShards = List.copyOf(allRead);
  }

  /**
   * Partitions keys in two steps: the outer partitioner selects a part, and the partitioner of that
   * part selects the partition.
   */
  public static final class NestedPartitioner implements Partitioner {

    private final Partitioner outer;
    private final Partitioner[] parts;
    private final int[] first; // first partition of each part; at the end, the number of partitions

    /**
     * @param outer must have one partition per part
     */
    public NestedPartitioner(Partitioner outer, List<? extends Partitioner> parts) {
      if (outer.partitions() != parts.size()) {
        throw new IllegalArgumentException(
            outer.partitions() + " parts expected, got " + parts.size());
      }
      this.outer = outer;
      this.parts = parts.toArray(Partitioner[]::new);
      this.first = new int[parts.size() + 1];
      for (int i = 0; i < this.parts.length; i++) {
        first[i + 1] = Math.addExact(first[i], this.parts[i].partitions());
      }
    }

    @Override
    public int partitions() {
      return first[parts.length];
    }

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      int part = outer.partitionOf(buffer, offset, length);
      return first[part] + parts[part].partitionOf(buffer, offset, length);
    }

    @Override
    public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
      if (!outer.isDecidedBy(buffer, offset, length)) {
        return false;
      }
      Partitioner part = parts[outer.partitionOf(buffer, offset, length)];
      return part.partitions() == 1 || part.isDecidedBy(buffer, offset, length);
    }

    @Override
    public boolean mayLeave(int partition, ByteBuf buffer, int offset, int length) {
      int part = partOf(partition);
      return !outer.isDecidedBy(buffer, offset, length)
          || outer.partitionOf(buffer, offset, length) != part
          || parts[part].mayLeave(partition - first[part], buffer, offset, length);
    }

    @Override
    public List<String> beginnings(int partition) {
      int part = partOf(partition);
      List<String> any = List.of("");
      List<String> whole = outer.beginnings(part);
      List<String> own = parts[part].beginnings(partition - first[part]);
      if (whole.equals(any) || own.equals(any)) {
        return own.equals(any) ? whole : own;
      }
      return Stream.concat(whole.stream(), own.stream()).distinct().toList();
    }

    @Override
    public boolean isInUse(int partition) {
      int part = partOf(partition);
      return outer.isInUse(part) && parts[part].isInUse(partition - first[part]);
    }

    /** Returns the first partition of a part. */
    public int firstPartitionOf(int part) {
      return first[part];
    }

    /** Returns the part that contains a partition. */
    public int partOf(int partition) {
      if (first[parts.length] == parts.length) {
        return partition; // each part has one
      }
      int found = Arrays.binarySearch(first, partition);
      return found < 0 ? -found - 2 : found;
    }

    private void check(List<Placement> placements) {
      if (placements.size() != parts.length) {
        throw new IllegalArgumentException(
            parts.length + " parts expected, got " + placements.size());
      }
      for (int i = 0; i < parts.length; i++) {
        if (placements.get(i).partitions() != parts[i].partitions()) {
          throw new IllegalArgumentException("part " + i + " has another number of partitions");
        }
      }
    }
  }

  @Override
  public Partitioner partitioner() {
    return partitioner;
  }

  @Override
  public int ownerOf(int partition) {
    int part = partitioner.partOf(partition);
    int owner = inner.get(part).ownerOf(partition - partitioner.first[part]);
    return owner < 0 ? UNCOVERED : firstShard[part] + owner;
  }

  @Override
  public List<Shard> shards() {
    return shards;
  }

  @Override
  public List<Shard> readShards() {
    return readShards;
  }

  @Override
  public int readShardOf(int partition) {
    int part = partitioner.partOf(partition);
    int own = inner.get(part).readShardOf(partition - partitioner.first[part]);
    return own < 0 ? UNCOVERED : firstReadShard[part] + own;
  }

  @Override
  public boolean hasIndependentReplicas(int shard) {
    int part = partOfShard(shard);
    return inner.get(part).hasIndependentReplicas(shard - firstShard[part]);
  }

  @Override
  public boolean readsMaster(int shard) {
    int part = partOfShard(shard);
    return inner.get(part).readsMaster(shard - firstShard[part]);
  }

  @Override
  public int readRank(int readShard, Endpoint node) {
    int part = partOf(readShard, firstReadShard);
    return inner.get(part).readRank(readShard - firstReadShard[part], node);
  }

  @Override
  public int coveredPartitions() {
    int covered = 0;
    for (Placement each : inner) {
      covered += each.coveredPartitions();
    }
    return covered;
  }

  @Override
  public int[] firstPartitions() {
    int[] all = new int[shards.size()];
    for (int part = 0; part < firstShard.length; part++) {
      int[] own = inner.get(part).firstPartitions();
      for (int i = 0; i < own.length; i++) {
        boolean owns = own[i] >= 0;
        all[firstShard[part] + i] = owns ? partitioner.first[part] + own[i] : UNCOVERED;
      }
    }
    return all;
  }

  /** A run of uncovered partitions may continue in the next part. */
  @Override
  public int endOfRun(int partition) {
    int owner = ownerOf(partition);
    int end = endWithinPart(partition);
    while (end + 1 < partitions() && ownerOf(end + 1) == owner) {
      end = endWithinPart(end + 1);
    }
    return end;
  }

  private int endWithinPart(int partition) {
    int part = partitioner.partOf(partition);
    int base = partitioner.first[part];
    return base + inner.get(part).endOfRun(partition - base);
  }

  @Override
  public int busOf(int shard) {
    int part = partOfShard(shard);
    return firstBus[part] + inner.get(part).busOf(shard - firstShard[part]);
  }

  private int partOfShard(int shard) {
    return partOf(shard, firstShard);
  }

  private static int partOf(int shard, int[] firstOfParts) {
    int found = Arrays.binarySearch(firstOfParts, shard);
    int part = found < 0 ? -found - 2 : found;
    while (part + 1 < firstOfParts.length && firstOfParts[part + 1] == shard) {
      part++; // parts before it have no shard now
    }
    return part;
  }

  @Override
  public int buses() {
    return firstBus[firstShard.length];
  }

  /** Returns the part that contains a node, or -1. */
  public int partWith(Endpoint node) {
    for (int part = 0; part < firstShard.length; part++) {
      if (inner.get(part).contains(node)) {
        return part;
      }
    }
    return -1;
  }

  @Override
  public long fingerprint() {
    Digest digest = new Digest();
    for (Placement each : inner) {
      long own = each.fingerprint();
      digest.add((int) (own >>> Integer.SIZE)).add((int) own);
    }
    return digest.value();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NestedPlacement that
        && partitioner == that.partitioner
        && inner.equals(that.inner);
  }

  @Override
  public int hashCode() {
    return inner.hashCode();
  }

  @Override
  public String toString() {
    return "NestedPlacement" + inner;
  }
}
