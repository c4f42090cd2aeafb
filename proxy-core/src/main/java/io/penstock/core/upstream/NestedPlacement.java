package io.penstock.core.upstream;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A placement made of placements: the outer partitioner says which inner placement a key belongs
 * to, and that one says which of its partitions. The partitions of the first come first, those of
 * the second behind them, and so on; the shards as well. So a shard of servers may itself be a
 * cluster, or a master with replicas. Immutable.
 */
public final class NestedPlacement implements Placement {

  private final NestedPartitioner partitioner;
  private final List<Placement> inner;
  private final List<Shard> shards;
  private final int[] firstShard; // by inner placement

  /**
   * @param partitioner the same for all placements of one upstream
   * @param inner one for each of its parts, with that part's partitions
   */
  public NestedPlacement(NestedPartitioner partitioner, List<? extends Placement> inner) {
    this.partitioner = partitioner;
    this.inner = List.copyOf(inner);
    this.firstShard = new int[inner.size()];
    partitioner.check(this.inner);
    List<Shard> all = new ArrayList<>();
    for (int i = 0; i < firstShard.length; i++) {
      firstShard[i] = all.size();
      all.addAll(inner.get(i).shards());
    }
    this.shards = List.copyOf(all);
  }

  /** Divides keys twice: by the outer partitioner, and by the one of the part that this names. */
  public static final class NestedPartitioner implements Partitioner {

    private final Partitioner outer;
    private final Partitioner[] parts;
    private final int[] first; // partition of each part; behind the last, all partitions

    /**
     * @param outer has as many partitions as there are parts
     */
    public NestedPartitioner(Partitioner outer, List<? extends Partitioner> parts) {
      if (outer.partitions() != parts.size()) {
        throw new IllegalArgumentException(outer.partitions() + " parts, and not " + parts.size());
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

    /** The part that a partition belongs to. */
    private int partOf(int partition) {
      int found = Arrays.binarySearch(first, partition);
      return found < 0 ? -found - 2 : found;
    }

    private void check(List<Placement> placements) {
      if (placements.size() != parts.length) {
        throw new IllegalArgumentException(parts.length + " parts, and not " + placements.size());
      }
      for (int i = 0; i < parts.length; i++) {
        if (placements.get(i).partitions() != parts[i].partitions()) {
          throw new IllegalArgumentException("part " + i + " has other partitions");
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

  /** Runs that nobody serves may go on in the next part. */
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
