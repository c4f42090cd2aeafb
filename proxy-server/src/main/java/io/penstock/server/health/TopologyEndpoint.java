package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Shard;
import io.penstock.core.cluster.SlotMap;
import io.penstock.server.lifecycle.RefreshLog;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/topology}: how Penstock sees the cluster right now. */
@Endpoint(id = "topology")
class TopologyEndpoint {

  private final Proxy proxy;
  private final RefreshLog refreshes;

  TopologyEndpoint(Proxy proxy, RefreshLog refreshes) {
    this.proxy = proxy;
    this.refreshes = refreshes;
  }

  /**
   * The answer.
   *
   * @param state {@code complete} when every slot has an owner, {@code partial} when some have,
   *     {@code unknown} when none has
   */
  record View(
      String state,
      boolean ready,
      int coveredSlots,
      List<ShardView> shards,
      RefreshLog.@Nullable Refresh lastRefresh) {}

  /**
   * One shard.
   *
   * @param slots ranges as Redis writes them: {@code 0-5460}, {@code 7}
   */
  record ShardView(String master, List<String> replicas, List<String> slots, long configEpoch) {}

  @ReadOperation
  View topology() {
    SlotMap map = proxy.topology();
    List<ShardView> shards = new ArrayList<>();
    for (int i = 0; i < map.shards().size(); i++) {
      Shard shard = map.shards().get(i);
      shards.add(
          new ShardView(
              shard.master().toString(),
              shard.replicas().stream().map(Node::toString).toList(),
              ranges(map, i),
              shard.configEpoch()));
    }
    return new View(state(map), proxy.isReady(), map.coveredSlots(), shards, refreshes.last());
  }

  private static String state(SlotMap map) {
    if (map.isFullyCovered()) {
      return "complete";
    }
    return map.coveredSlots() == 0 ? "unknown" : "partial";
  }

  static List<String> ranges(SlotMap map, int shard) {
    List<String> ranges = new ArrayList<>();
    int first = -1;
    for (int slot = 0; slot <= SlotMap.SLOTS; slot++) {
      boolean owned = slot < SlotMap.SLOTS && map.ownerOf(slot) == shard;
      if (owned && first < 0) {
        first = slot;
      } else if (!owned && first >= 0) {
        ranges.add(first == slot - 1 ? Integer.toString(first) : first + "-" + (slot - 1));
        first = -1;
      }
    }
    return ranges;
  }
}
