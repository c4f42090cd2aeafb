package io.penstock.core.split;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is read at. Immutable.
 *
 * @param parts in the order of the settings
 * @param numbers of their placements; 0 is the one for writes
 * @param inOrder whether the first that has a node which may be read is read alone
 */
record SplitReads(List<ReadPart> parts, List<Integer> numbers, boolean inOrder) {

  SplitReads {
    parts = List.copyOf(parts);
    numbers = List.copyOf(numbers);
  }

  /** Returns whether only replicas are read, and only those of the upstream for writes. */
  boolean isOfOwnReplicas() {
    for (int i = 0; i < parts.size(); i++) {
      if (numbers.get(i) != 0 || parts.get(i).masters()) {
        return false;
      }
    }
    return true;
  }

  /** Returns which shard of each part has a partition, or {@link Placement#UNCOVERED}. */
  List<Integer> owners(int partition, List<Placement> placements) {
    List<Integer> owners = new ArrayList<>(parts.size() + 1);
    for (int number : numbers) {
      Placement placement = placements.get(number);
      owners.add(placement.ownerOf(placement.partitions() == 1 ? 0 : partition));
    }
    return owners;
  }

  /**
   * Returns the nodes that a partition may be read at, each with its rank.
   *
   * @param owner the shard for writes; {@code partition} is one of its
   */
  Map<Endpoint, Integer> nodes(int owner, int partition, List<Placement> placements) {
    Map<Endpoint, Integer> nodes = new LinkedHashMap<>();
    for (int i = 0; i < parts.size(); i++) {
      int number = numbers.get(i);
      Placement placement = placements.get(number);
      Shard shard =
          number == 0
              ? placement.shards().get(owner)
              : placement.shardOf(placement.partitions() == 1 ? 0 : partition);
      if (shard != null) {
        for (Endpoint node : parts.get(i).nodesOf(shard)) {
          nodes.putIfAbsent(node, inOrder ? i : 0);
        }
      }
    }
    return nodes;
  }

  /** Returns a shard with other nodes as replicas: its master is none. */
  static Shard readAt(Shard shard, Set<Endpoint> nodes) {
    List<Endpoint> others = nodes.stream().filter(node -> !node.equals(shard.master())).toList();
    return new Shard(shard.master(), others, shard.configEpoch());
  }
}
