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
 * An immutable snapshot: which shard owns each of the 16384 slots.
 *
 * <p>A shard is named by its index in {@link #shards()}, so that a loop can keep its connections in
 * an array of the same order and find the right one without hashing.
 */
public final class SlotMap implements Placement {

  /** Number of hash slots in a Redis Cluster. */
  public static final int SLOTS = 16_384;

  /** The snapshot before anything is known: no shard, no slot covered. */
  public static final SlotMap EMPTY = new Builder().build();

  private final short[] owners;
  private final List<Shard> shards;
  private final int covered;
  private long fingerprint; // 0 until asked for; whoever computes it finds the same

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
   * This snapshot with one slot on another master; a node that no shard knows becomes a shard of
   * its own. Answers {@code this} when nothing changes.
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

  /**
   * Collects shards and the slots of each; ranges apply to the shard added last. Not thread-safe.
   */
  public static final class Builder {

    private final short[] owners = new short[SLOTS];
    private final List<Shard> shards = new ArrayList<>();

    public Builder() {
      Arrays.fill(owners, (short) UNCOVERED);
    }

    /** Adds a shard; the ranges and slots that follow are its own. */
    public Builder shard(Shard shard) {
      shards.add(shard);
      return this;
    }

    /** Gives the slots {@code first} to {@code last}, both included, to the shard added last. */
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
