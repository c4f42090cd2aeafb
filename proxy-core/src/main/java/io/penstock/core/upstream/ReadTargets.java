package io.penstock.core.upstream;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An immutable snapshot of which nodes of each shard may be read now, after policy, zone, latency
 * and lag. Computed on the topology thread (package {@code replicas}) and adopted by event loops
 * like a placement. Safe from any thread.
 *
 * @param byMaster the nodes that may be read, by the master of their shard: the master first if it
 *     is one of them, then replicas in the order of the shard. An empty list if none may be read
 * @param masterIfUnknown whether the master may be read of a shard that this snapshot does not
 *     contain yet
 */
public record ReadTargets(Map<Endpoint, List<Endpoint>> byMaster, boolean masterIfUnknown) {

  /** Knows no shard, and no node may be read. */
  public static final ReadTargets EMPTY = new ReadTargets(Map.of(), false);

  public ReadTargets {
    byMaster = Map.copyOf(byMaster);
  }

  /**
   * Returns the nodes of a shard that may be read, but none that has left the shard since. Empty if
   * there is none: then reads wait in the failover hold. For event loops that adopt this snapshot
   * or a placement, not for each request.
   */
  public List<Endpoint> of(Shard shard) {
    List<Endpoint> known = byMaster.get(shard.master());
    if (known == null) {
      return masterIfUnknown ? List.of(shard.master()) : List.of();
    }
    List<Endpoint> present = new ArrayList<>(known);
    present.removeIf(node -> !node.equals(shard.master()) && !shard.replicas().contains(node));
    return present.isEmpty() && masterIfUnknown ? List.of(shard.master()) : List.copyOf(present);
  }
}
