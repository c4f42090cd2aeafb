package io.penstock.server.health;

import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.observe.ShownTime;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.TopologyStatus;
import io.penstock.server.config.Readiness;
import io.penstock.server.lifecycle.ProxyLifecycle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@code /actuator/topology}: the upstream, or each of them, as Penstock currently sees it; {@code
 * /actuator/topology/NAME}: one of them.
 */
@org.springframework.boot.actuate.endpoint.annotation.Endpoint(id = "topology")
class TopologyEndpoint {

  private final Proxy proxy;
  private final ProxyLifecycle lifecycle;
  private final Supplier<Readiness> rule;

  TopologyEndpoint(Proxy proxy, ProxyLifecycle lifecycle, Supplier<Readiness> rule) {
    this.proxy = proxy;
    this.lifecycle = lifecycle;
    this.rule = rule;
  }

  /**
   * The response body about one upstream.
   *
   * @param state {@code complete} if masters serve all slots, {@code partial} if some, {@code down}
   *     if none, {@code unknown} while no slot has a master
   * @param ready the result of the readiness probe
   * @param coveredSlots slots that a master serves
   * @param nodes the members of the cluster as CLUSTER NODES lists them; empty for a single server
   * @param sentinels those of each master; empty without Sentinel
   * @param lastSuccess when a topology refresh last succeeded
   * @param failuresInARow refreshes that have failed since
   */
  record View(
      String state,
      boolean ready,
      int coveredSlots,
      List<ShardView> shards,
      List<NodeView> nodes,
      List<TopologyStatus.Sentinels> sentinels,
      @Nullable RefreshView lastRefresh,
      @Nullable Instant lastSuccess,
      int failuresInARow) {}

  /**
   * One shard.
   *
   * @param up whether the master has answered recently
   * @param trouble why the master does not serve requests; null if it does
   * @param slots ranges as Redis writes them: {@code 0-5460}, {@code 7}; empty unless the upstream
   *     is a cluster
   */
  record ShardView(
      String master,
      boolean up,
      @Nullable String trouble,
      List<String> replicas,
      List<String> slots,
      long configEpoch) {}

  /** One line of CLUSTER NODES. */
  record NodeView(
      String id,
      @Nullable String address,
      Set<String> flags,
      @Nullable String masterId,
      boolean linked,
      long configEpoch,
      int slots) {}

  /**
   * The latest topology refresh.
   *
   * @param took in seconds, with the unit
   */
  record RefreshView(
      String trigger,
      Instant at,
      String took,
      @Nullable String answeredBy,
      @Nullable String failure) {}

  /**
   * The response body if there are several upstreams.
   *
   * @param upstreams by name
   */
  record Views(Map<String, Object> upstreams) {}

  /**
   * The response body about one upstream over plain TCP.
   *
   * @param state {@code complete} if all servers are up, {@code partial} if some, {@code down} if
   *     none
   */
  record TcpView(String state, boolean ready, List<TcpServerView> servers) {}

  /** Returns the only upstream, or all. */
  @ReadOperation
  Object topology() {
    List<ProxyUpstream> upstreams = proxy.upstreams();
    if (upstreams.size() == 1) {
      return view(upstreams.getFirst());
    }
    Map<String, Object> views = new LinkedHashMap<>();
    upstreams.forEach(upstream -> views.put(upstream.name(), view(upstream)));
    return new Views(views);
  }

  /** Returns one upstream; null, which is 404, if there is none with this name. */
  @ReadOperation
  @Nullable Object topology(@Selector String upstream) {
    return proxy.upstreams().stream()
        .filter(each -> each.name().equals(upstream))
        .findFirst()
        .map(this::view)
        .orElse(null);
  }

  private Object view(ProxyUpstream of) {
    return switch (of) {
      case RespUpstream resp -> view(resp);
      case TcpUpstream tcp -> view(tcp);
    };
  }

  private TcpView view(TcpUpstream of) {
    return new TcpView(
        of.isComplete() ? "complete" : of.isReady() ? "partial" : "down",
        lifecycle.isRunning() && ProxyHealth.isMet(of, rule.get()),
        of.status().stream().map(TcpServerView::of).toList());
  }

  private View view(RespUpstream of) {
    UpstreamStatus upstream = of.status();
    TopologyStatus status = of.topologyStatus();
    TopologyStatus.Refreshed last = status.lastRefresh();
    return new View(
        state(upstream),
        lifecycle.isRunning() && rule.get().isMet(upstream),
        upstream.coveredSlots(),
        shards(upstream),
        status.nodes().stream().map(TopologyEndpoint::view).toList(),
        status.sentinels(),
        last == null ? null : view(last),
        status.lastSuccess(),
        status.failuresInARow());
  }

  private static List<ShardView> shards(UpstreamStatus upstream) {
    Placement map = upstream.topology();
    List<ShardView> shards = new ArrayList<>();
    for (int i = 0; i < map.shards().size(); i++) {
      Shard shard = map.shards().get(i);
      NodeStatus master = upstream.statusOf(shard.master());
      UpstreamStatus.Trouble trouble = master == null ? null : master.trouble();
      shards.add(
          new ShardView(
              shard.master().toString(),
              master != null && master.up(),
              trouble == null ? null : trouble.reason(),
              shard.replicas().stream().map(Endpoint::toString).toList(),
              ShownSlots.areReal(map) ? ShownSlots.rangesOf(map, i) : List.of(),
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
        ShownTime.seconds(refresh.took()),
        text(refresh.answeredBy()),
        refresh.failure());
  }

  private static @Nullable String text(@Nullable Endpoint node) {
    return node == null ? null : node.toString();
  }

  private static String state(UpstreamStatus upstream) {
    if (upstream.isComplete()) {
      return "complete";
    }
    if (upstream.topology().coveredPartitions() == 0) {
      return "unknown";
    }
    return upstream.coveredSlots() == 0 ? "down" : "partial";
  }
}
