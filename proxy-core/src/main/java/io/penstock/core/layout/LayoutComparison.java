package io.penstock.core.layout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * How many keys of a sample two layouts place on different shards. Shards are the same if they have
 * the same name. With {@link Distribution#RANDOM} the numbers mean nothing.
 *
 * @param keys the number of keys of the sample
 * @param flows how many keys go from which shard to which, those that stay included; most keys
 *     first
 */
public record LayoutComparison(long keys, List<Flow> flows) {

  private static final Comparator<Flow> MOST_KEYS_FIRST =
      Comparator.comparingLong(Flow::keys)
          .reversed()
          .thenComparing(Flow::from)
          .thenComparing(Flow::to);

  public LayoutComparison {
    flows = List.copyOf(flows);
  }

  /**
   * A layout and how its shards are named for the comparison.
   *
   * @param layout returns the number of a key's shard
   * @param shards the names, by the shard's number in the layout
   */
  public record Side(ToIntFunction<byte[]> layout, List<String> shards) {

    public Side {
      shards = List.copyOf(shards);
    }

    /** A layout whose shards have their own names. */
    public Side(ShardLayout layout) {
      this(layout::shardOf, layout.shards());
    }

    private String shardOf(byte[] key) {
      return shards.get(layout.applyAsInt(key));
    }
  }

  /**
   * The keys of one shard that are on another one after a change.
   *
   * @param from the shard before
   * @param to the shard after, or the same one
   * @param keys how many of the sample
   */
  public record Flow(String from, String to, long keys) {

    /** Returns whether the keys change their shard. */
    public boolean isMove() {
      return !from.equals(to);
    }
  }

  /** Compares the places of keys. Reads {@code keys} once. */
  public static LayoutComparison of(Side before, Side after, Iterable<byte[]> keys) {
    Map<String, Map<String, Long>> counts = new HashMap<>();
    long total = 0;
    for (byte[] key : keys) {
      total++;
      counts
          .computeIfAbsent(before.shardOf(key), _ -> new HashMap<>())
          .merge(after.shardOf(key), 1L, Long::sum);
    }
    List<Flow> flows = new ArrayList<>();
    counts.forEach(
        (from, targets) -> targets.forEach((to, count) -> flows.add(new Flow(from, to, count))));
    Collections.sort(flows, MOST_KEYS_FIRST);
    return new LayoutComparison(total, flows);
  }

  /** Returns how many keys change their shard. */
  public long moved() {
    return flows.stream().filter(Flow::isMove).mapToLong(Flow::keys).sum();
  }

  /** Returns the share of keys that change their shard, 0 to 1; 0 without keys. */
  public double share() {
    return keys == 0 ? 0 : (double) moved() / keys;
  }
}
