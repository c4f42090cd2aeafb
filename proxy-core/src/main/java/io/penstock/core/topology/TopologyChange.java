package io.penstock.core.topology;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Describes the difference between two topologies for a log line. */
public final class TopologyChange {

  /** Most changes of masters that are listed, and most slot ranges of one change. */
  private static final int MAX_LISTED = 5;

  private TopologyChange() {}

  /**
   * Returns which slots moved from which master to which; the size of the topology if nothing was
   * known before.
   */
  public static String text(Placement before, Placement now) {
    if (before.coveredPartitions() == 0) {
      return size(now);
    }
    Map<Moved, List<String>> moves = moves(before, now);
    if (moves.isEmpty()) {
      return size(now)
          + "; masters unchanged"
          + replicas("new", now, before)
          + replicas("gone", before, now);
    }
    List<String> named = new ArrayList<>();
    moves.forEach((moved, ranges) -> {
      if (named.size() < MAX_LISTED) {
        named.add(moved.text(first(ranges)));
      }
    });
    int more = moves.size() - named.size();
    return String.join("; ", named) + (more > 0 ? "; and " + more + " more changes" : "");
  }

  /** Returns the replicas of one topology that the other one lacks; nothing if there are none. */
  private static String replicas(String what, Placement of, Placement without) {
    List<Endpoint> some =
        of.shards().stream()
            .flatMap(shard -> shard.replicas().stream())
            .filter(replica -> !without.contains(replica))
            .toList();
    if (some.isEmpty()) {
      return "";
    }
    List<String> named = some.stream().limit(MAX_LISTED).map(Endpoint::toString).toList();
    int more = some.size() - named.size();
    return "; replicas " + what + ": " + String.join(", ", named) + (more > 0 ? ", ..." : "");
  }

  private static String size(Placement map) {
    int replicas = map.shards().stream().mapToInt(shard -> shard.replicas().size()).sum();
    return count(map.shards().size(), "master")
        + ", "
        + count(replicas, "replica")
        + ", "
        + map.coveredPartitions()
        + " of "
        + map.partitions()
        + " slots have a master";
  }

  private static String count(int count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  /** A move of slots from one master to another; null for no master. */
  private record Moved(@Nullable Endpoint to, @Nullable Endpoint from) {

    String text(String slots) {
      if (to == null) {
        return "slots " + slots + " have no master now, was " + from;
      }
      return "master of slots " + slots + " is now " + to + (from == null ? "" : ", was " + from);
    }
  }

  private static Map<Moved, List<String>> moves(Placement before, Placement now) {
    Map<Moved, List<String>> moves = new LinkedHashMap<>();
    for (int first = 0; first < now.partitions(); ) {
      int last = Math.min(before.endOfRun(first), now.endOfRun(first));
      Endpoint from = masterOf(before, first);
      Endpoint to = masterOf(now, first);
      if (!Objects.equals(from, to)) {
        moves
            .computeIfAbsent(new Moved(to, from), _ -> new ArrayList<>())
            .add(ShownSlots.range(first, last));
      }
      first = last + 1;
    }
    return moves;
  }

  private static @Nullable Endpoint masterOf(Placement map, int slot) {
    Shard shard = map.shardOf(slot);
    return shard == null ? null : shard.master();
  }

  private static String first(List<String> ranges) {
    return ranges.size() <= MAX_LISTED
        ? String.join(",", ranges)
        : String.join(",", ranges.subList(0, MAX_LISTED)) + ",...";
  }
}
