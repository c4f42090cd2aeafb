package io.penstock.core.layout;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The slots of Codis, or the buckets of camellia, of one shard. A shard may have several shares.
 *
 * @param slots their numbers, from 0
 * @param to the shard, as written: the name of an upstream, or a URL
 */
public record SlotShare(List<Integer> slots, String to) {

  public SlotShare {
    slots = List.copyOf(slots);
  }

  /**
   * Returns the share of the slots {@code first} to {@code last}, both included.
   *
   * @throws IllegalArgumentException if {@code last} is before {@code first}
   */
  public static SlotShare range(int first, int last, String to) {
    if (last < first) {
      throw new IllegalArgumentException(first + "-" + last + " ends before it begins");
    }
    return new SlotShare(IntStream.rangeClosed(first, last).boxed().toList(), to);
  }
}
