package io.penstock.server.metrics;

import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.upstream.TopologyStatus.Sentinels;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Exports which slots and nodes can be reached. Reads snapshots and does not query event loops. */
final class UpstreamCollector implements MultiCollector {

  private static final double MILLIS_PER_SECOND = 1e3;
  private static final String UPSTREAM = "upstream";

  private final Supplier<List<View>> upstreams;

  UpstreamCollector(Supplier<List<View>> upstreams) {
    this.upstreams = upstreams;
  }

  /**
   * What is known about one upstream.
   *
   * @param lastRefresh when a refresh of the topology last succeeded, or null
   * @param readsReplicas whether reads may go to replicas
   * @param sentinels those of each master; empty without Sentinel
   */
  record View(
      String name,
      UpstreamStatus status,
      @Nullable Instant lastRefresh,
      boolean readsReplicas,
      List<Sentinels> sentinels) {}

  @Override
  public MetricSnapshots collect() {
    Family covered = Metric.SLOTS_COVERED.family();
    Family up = Metric.NODE_UP.family();
    Family refreshed = Metric.TOPOLOGY_LAST_SUCCESS.family();
    Family sentinels = Metric.SENTINELS.family();
    Family replicas = Metric.REPLICAS.family();
    Family leftOut = Metric.REPLICA_LEFT_OUT.family();
    Family lag = Metric.REPLICA_LAG.family();
    for (View upstream : upstreams.get()) {
      String name = upstream.name();
      covered.add(upstream.status().coveredSlots(), UPSTREAM, name);
      addNodes(upstream, up);
      Instant last = upstream.lastRefresh();
      if (last != null) {
        refreshed.add(last.toEpochMilli() / MILLIS_PER_SECOND, UPSTREAM, name);
      }
      upstream.sentinels().stream()
          .min(Comparator.comparingInt(each -> each.agreeing() - each.majority()))
          .ifPresent(worst -> addSentinels(name, worst, sentinels));
      if (upstream.readsReplicas()) {
        addReplicas(upstream, replicas, leftOut, lag);
      }
    }
    List<MetricSnapshot> all = new ArrayList<>();
    Stream.of(covered, up, refreshed, sentinels, replicas, leftOut, lag)
        .map(Family::snapshot)
        .filter(snapshot -> !snapshot.getDataPoints().isEmpty())
        .forEach(all::add);
    return new MetricSnapshots(all);
  }

  private static void addNodes(View upstream, Family up) {
    Set<NodeStatus> nodes = Set.copyOf(upstream.status().nodes()); // two ids may have one address
    for (NodeStatus node : nodes) {
      up.add(
          node.up() ? 1 : 0,
          UPSTREAM,
          upstream.name(),
          "node",
          node.node().toString(),
          "role",
          node.master() ? "master" : "replica");
    }
  }

  private static void addSentinels(String upstream, Sentinels counts, Family sentinels) {
    sentinels.add(counts.known(), UPSTREAM, upstream, "state", "known");
    sentinels.add(counts.answering(), UPSTREAM, upstream, "state", "answering");
    sentinels.add(counts.agreeing(), UPSTREAM, upstream, "state", "agreeing");
  }

  private static void addReplicas(View upstream, Family replicas, Family leftOut, Family lag) {
    List<ReplicaStatus> all = upstream.status().replicas();
    for (ReplicaState state : ReplicaState.values()) {
      long count = all.stream().filter(replica -> replica.state() == state).count();
      replicas.add((double) count, UPSTREAM, upstream.name(), "state", state.label());
    }
    for (ReplicaStatus replica : Set.copyOf(all)) {
      String node = replica.node().toString();
      leftOut.add((double) replica.timesLeftOut(), UPSTREAM, upstream.name(), "node", node);
      if (replica.lagBytes() != ReplicaStatus.UNKNOWN) {
        lag.add((double) replica.lagBytes(), UPSTREAM, upstream.name(), "node", node);
      }
    }
  }
}
