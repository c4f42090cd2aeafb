package io.penstock.core.cluster;

import io.penstock.core.upstream.Placement;
import java.util.ArrayList;
import java.util.List;

/**
 * Converts partitions to the slots that users see: {@code INFO}, {@code CLUSTER INFO}, metrics,
 * health and log lines count 16,384 slots for every upstream. The partitions of a cluster are its
 * slots. If an upstream has fewer partitions, each is shown as an equal range of slots, so that a
 * single server has all slots. If an upstream has more partitions than there are slots, partitions
 * are shown unchanged.
 */
public final class ShownSlots {

  private ShownSlots() {}

  /** Returns whether the servers themselves know slots: the upstream is a known cluster. */
  public static boolean areReal(Placement placement) {
    return placement instanceof SlotMap;
  }

  /** Returns how many slots have an owner. */
  public static int covered(Placement placement) {
    int partitions = placement.partitions();
    int covered = 0;
    for (int first = 0; first < partitions; ) {
      int last = placement.endOfRun(first);
      if (placement.ownerOf(first) >= 0) {
        covered += from(last + 1, partitions) - from(first, partitions);
      }
      first = last + 1;
    }
    return covered;
  }

  /** Returns the first slot of a partition. */
  public static int first(Placement placement, int partition) {
    return from(partition, placement.partitions());
  }

  /** Returns the last slot of a partition. */
  public static int last(Placement placement, int partition) {
    return from(partition + 1, placement.partitions()) - 1;
  }

  private static int from(int partition, int partitions) {
    return partitions >= SlotMap.SLOTS
        ? partition
        : (int) ((long) partition * SlotMap.SLOTS / partitions);
  }

  /** Returns the slots of a shard as Redis writes them: {@code 0-5460}, {@code 7}. */
  public static List<String> rangesOf(Placement placement, int shard) {
    List<String> ranges = new ArrayList<>();
    for (int partition = 0; partition < placement.partitions(); ) {
      int end = placement.endOfRun(partition);
      if (placement.ownerOf(partition) == shard) {
        ranges.add(range(first(placement, partition), last(placement, end)));
      }
      partition = end + 1;
    }
    return ranges;
  }

  /** Returns the slots {@code first} to {@code last} as Redis writes them. */
  public static String range(int first, int last) {
    return first == last ? Integer.toString(first) : first + "-" + last;
  }
}
