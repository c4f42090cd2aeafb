package io.penstock.core.cluster;

import io.penstock.core.upstream.Digest;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The placement of a Redis Cluster: an immutable snapshot of the shard that owns each of the 16384
 * slots.
 *
 * <p>A shard is identified by its index in {@link #shards()}: a loop keeps its connections in an
 * array of the same order and finds the right one without hashing.
 */
public final class SlotMap implements Placement {

  /** Number of hash slots in a Redis Cluster. */
  public static final int SLOTS = 16_384;

  /** The snapshot before the topology is known: no shard, no slot covered. */
  public static final SlotMap EMPTY = new Builder().build();

  private final short[] owners;
  private final List<Shard> shards;
  private final int covered;
  private long fingerprint; // 0 until it is computed; every thread computes the same value

  private SlotMap(short[] owners, List<Shard> shards) {
    this.owners = owners;
    this.shards = shards;
    int count = 0;
    for (short owner : owners) {
      if (owner >= 0) {
        count++;
      }
    }
    this.covered = count;
  }

  @Override
  public int partitions() {
    return SLOTS;
  }

  @Override
  public Partitioner partitioner() {
    return SlotPartitioner.INSTANCE;
  }

  @Override
  public int ownerOf(int slot) {
    return owners[slot];
  }

  @Override
  public List<Shard> shards() {
    return shards;
  }

  @Override
  public int coveredPartitions() {
    return covered;
  }

  @Override
  public int[] firstPartitions() {
    int[] first = new int[shards.size()];
    Arrays.fill(first, UNCOVERED);
    for (int slot = SLOTS - 1; slot >= 0; slot--) {
      if (owners[slot] >= 0) {
        first[owners[slot]] = slot;
      }
    }
    return first;
  }

  @Override
  public int endOfRun(int slot) {
    int end = slot;
    while (end + 1 < SLOTS && owners[end + 1] == owners[slot]) {
      end++;
    }
    return end;
  }

  @Override
  public long fingerprint() {
    long known = fingerprint;
    if (known == 0) {
      Digest digest = new Digest();
      for (int slot = 0; slot < SLOTS; slot = endOfRun(slot) + 1) {
        Shard shard = shardOf(slot);
        digest.add(slot);
        digest.add(shard == null ? "" : shard.master().toString());
      }
      known = digest.value();
      fingerprint = known;
    }
    return known;
  }

  /**
   * Returns a copy with one slot on another master. A master that is not known yet becomes a new
   * shard. Returns {@code this} if nothing changes.
   */
  public SlotMap withSlotOn(int slot, Endpoint owner) {
    int index = indexOfMaster(owner);
    if (index >= 0 && owners[slot] == index) {
      return this;
    }
    List<Shard> changed = shards;
    if (index < 0) {
      changed = new ArrayList<>(shards);
      index = changed.size();
      changed.add(new Shard(owner, List.of(), 0));
    }
    short[] moved = owners.clone();
    moved[slot] = (short) index;
    return new SlotMap(moved, List.copyOf(changed));
  }

  @Override
  public boolean equals(Object other) {
    if (this == other) {
      return true;
    }
    return other instanceof SlotMap that
        && shards.equals(that.shards)
        && Arrays.equals(owners, that.owners);
  }

  @Override
  public int hashCode() {
    return 31 * shards.hashCode() + Arrays.hashCode(owners);
  }

  @Override
  public String toString() {
    return "SlotMap[" + shards.size() + " shards, " + covered + " of " + SLOTS + " slots]";
  }

  /** Builds a slot map shard by shard. Not thread-safe. */
  public static final class Builder {

    private final short[] owners = new short[SLOTS];
    private final List<Shard> shards = new ArrayList<>();

    public Builder() {
      Arrays.fill(owners, (short) UNCOVERED);
    }

    /** Adds a shard, which owns the ranges and slots that follow. */
    public Builder shard(Shard shard) {
      shards.add(shard);
      return this;
    }

    /** Adds the slots {@code first} to {@code last}, both included, to the shard added last. */
    public Builder range(int first, int last) {
      Arrays.fill(owners, first, last + 1, (short) (shards.size() - 1));
      return this;
    }

    public Builder slot(int slot) {
      return range(slot, slot);
    }

    public SlotMap build() {
      return new SlotMap(owners.clone(), List.copyOf(shards));
    }
  }
}
