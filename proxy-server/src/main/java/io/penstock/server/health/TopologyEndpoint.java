package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.cluster.Node;
import io.penstock.core.cluster.Shard;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.topology.TopologyStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/topology}: how Penstock sees the cluster right now. */
@Endpoint(id = "topology")
class TopologyEndpoint {

  private final Proxy proxy;

  TopologyEndpoint(Proxy proxy) {
    this.proxy = proxy;
  }

  /**
   * The answer.
   *
   * @param state {@code complete} when every slot has an owner, {@code partial} when some have,
   *     {@code unknown} when none has
   * @param nodes the cluster's members as it sees them itself; empty for a single server
   * @param lastSuccess when a look at the topology last worked
   * @param failuresInARow looks that failed since
   */
  record View(
      String state,
      boolean ready,
      int coveredSlots,
      List<ShardView> shards,
      List<NodeView> nodes,
      @Nullable RefreshView lastRefresh,
      @Nullable Instant lastSuccess,
      int failuresInARow) {}

  /**
   * One shard.
   *
   * @param slots ranges as Redis writes them: {@code 0-5460}, {@code 7}
   */
  record ShardView(String master, List<String> replicas, List<String> slots, long configEpoch) {}

  /** One line of CLUSTER NODES. */
  record NodeView(
      String id,
      @Nullable String address,
      Set<String> flags,
      @Nullable String masterId,
      boolean linked,
      long configEpoch,
      int slots) {}

  /** The newest look at the topology. */
  record RefreshView(
      String trigger,
      Instant at,
      Duration took,
      @Nullable String answeredBy,
      @Nullable String failure) {}

  @ReadOperation
  View topology() {
    SlotMap map = proxy.topology();
    TopologyStatus status = proxy.topologyStatus();
    TopologyStatus.Refreshed last = status.lastRefresh();
    return new View(
        state(map),
        proxy.isReady(),
        map.coveredSlots(),
        shards(map),
        status.nodes().stream().map(TopologyEndpoint::view).toList(),
        last == null ? null : view(last),
        status.lastSuccess(),
        status.failuresInARow());
  }

  private static List<ShardView> shards(SlotMap map) {
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
    return shards;
  }

  private static NodeView view(TopologyStatus.Member member) {
    return new NodeView(
        member.id(),
        text(member.node()),
        member.flags(),
        member.masterId(),
        member.linked(),
        member.configEpoch(),
        member.slots());
  }

  private static RefreshView view(TopologyStatus.Refreshed refresh) {
    return new RefreshView(
        refresh.trigger().name().toLowerCase(Locale.ROOT),
        refresh.at(),
        refresh.took(),
        text(refresh.answeredBy()),
        refresh.failure());
  }

  private static @Nullable String text(@Nullable Node node) {
    return node == null ? null : node.toString();
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
