package io.penstock.core.pubsub;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.UnknownPlacement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The systems that a change of the settings has taken away from an upstream. Clients publish there
 * until their loops have the change too, so subscriptions stay there for a while. Confined to the
 * loop.
 */
final class DepartedSystems {

  static final DepartedSystems NONE = new DepartedSystems(UnknownPlacement.INSTANCE, 0);

  private final Placement former;
  private final long until;
  private Map<Endpoint, Integer> busOf = Map.of(); // by master, in the former placement

  /**
   * @param former the placement before the change
   * @param until {@link System#nanoTime()} at which subscriptions end there
   */
  DepartedSystems(Placement former, long until) {
    this.former = former;
    this.until = until;
  }

  boolean isOver(long now) {
    return now - until >= 0;
  }

  /** The placement has changed: a system that it has is not departed. */
  void adopt(Placement latest) {
    Set<Endpoint> nodes = latest.nodes();
    Set<Integer> present = new HashSet<>();
    for (int i = 0; i < former.shards().size(); i++) {
      Shard shard = former.shards().get(i);
      if (nodes.contains(shard.master()) || shard.replicas().stream().anyMatch(nodes::contains)) {
        present.add(former.busOf(i));
      }
    }
    Map<Endpoint, Integer> gone = new HashMap<>();
    for (int i = 0; i < former.shards().size(); i++) {
      if (!present.contains(former.busOf(i))) {
        gone.put(former.shards().get(i).master(), former.busOf(i));
      }
    }
    busOf = gone;
  }

  /** Whether the node is a master of a departed system. */
  boolean has(Endpoint node) {
    return busOf.containsKey(node);
  }

  boolean haveOneBus(Endpoint one, Endpoint other) {
    Integer bus = busOf.get(one);
    return bus != null && bus.equals(busOf.get(other));
  }
}
