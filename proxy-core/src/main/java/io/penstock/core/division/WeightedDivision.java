package io.penstock.core.division;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.Slot;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Partitioner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Each part has a share of the hash slots of a Redis Cluster by its weight, so that keys with the
 * same hash tag are in the same part. The slots are taken in an order that neighbours have nothing
 * to do with: a part that is a cluster gets keys of all its nodes. Where two parts change their
 * weights, only the keys of the difference change places.
 *
 * @param weights of the parts, each at least 0, at least one above; no more of them than there are
 *     slots
 */
public record WeightedDivision(List<Integer> weights) implements Division {

  public WeightedDivision {
    weights = List.copyOf(weights);
    if (weights.size() > SlotMap.SLOTS
        || weights.stream().anyMatch(weight -> weight < 0)
        || weights.stream().allMatch(weight -> weight == 0)) {
      throw new IllegalArgumentException("not possible: " + weights);
    }
  }

  @Override
  public int parts() {
    return weights.size();
  }

  @Override
  public Partitioner partitioner() {
    return new ByWeight(partsOfSlots(), parts());
  }

  @Override
  public String textOf(int part) {
    return "weight " + weights.get(part);
  }

  @Override
  public String text() {
    return "by weight";
  }

  /**
   * Returns the part at a place of the whole.
   *
   * @param place from 0, included, to 1
   */
  int partAt(double place) {
    long total = weights.stream().mapToLong(Integer::longValue).sum();
    long at = (long) (place * total);
    int part = 0;
    for (long sum = weights.getFirst(); at >= sum; sum += weights.get(part)) {
      part++;
    }
    return part;
  }

  private short[] partsOfSlots() {
    List<Integer> slots = new ArrayList<>();
    for (int slot = 0; slot < SlotMap.SLOTS; slot++) {
      slots.add(slot);
    }
    slots.sort(Comparator.comparingInt(WeightedDivision::scattered));
    long total = weights.stream().mapToLong(Integer::longValue).sum();
    short[] parts = new short[SlotMap.SLOTS];
    int part = 0;
    long sum = weights.getFirst();
    for (int i = 0; i < SlotMap.SLOTS; i++) {
      while (i * total >= sum * SlotMap.SLOTS) {
        sum += weights.get(++part);
      }
      parts[slots.get(i)] = (short) part;
    }
    return parts;
  }

  /** The finalizer of MurmurHash3, which maps no two numbers to one. */
  private static int scattered(int slot) {
    int hash = slot;
    hash = (hash ^ hash >>> 16) * 0x85EBCA6B;
    hash = (hash ^ hash >>> 13) * 0xC2B2AE35;
    return hash ^ hash >>> 16;
  }

  private record ByWeight(short[] partOfSlot, int partitions) implements Partitioner {

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      return partOfSlot[Slot.of(buffer, offset, length)];
    }

    @Override
    public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
      return Slot.isDecidedBy(buffer, offset, length);
    }
  }
}
