package io.penstock.server.metrics;

import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Exports which slots and nodes can be reached. Reads snapshots and does not query event loops. */
final class UpstreamCollector implements MultiCollector {

  private static final double MILLIS_PER_SECOND = 1e3;

  private final Supplier<UpstreamStatus> upstream;
  private final Supplier<@Nullable Instant> lastRefresh;

  UpstreamCollector(Supplier<UpstreamStatus> upstream, Supplier<@Nullable Instant> lastRefresh) {
    this.upstream = upstream;
    this.lastRefresh = lastRefresh;
  }

  @Override
  public MetricSnapshots collect() {
    UpstreamStatus status = upstream.get();
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(Metric.SLOTS_COVERED.family().add(status.coveredSlots()).snapshot());
    Family up = Metric.NODE_UP.family();
    for (NodeStatus node : Set.copyOf(status.nodes())) { // two ids may have one address for a while
      String role = node.master() ? "master" : "replica";
      up.add(node.up() ? 1 : 0, "node", node.node().toString(), "role", role);
    }
    all.add(up.snapshot());
    Instant last = lastRefresh.get();
    if (last != null) {
      all.add(
          Metric.TOPOLOGY_LAST_SUCCESS
              .family()
              .add(last.toEpochMilli() / MILLIS_PER_SECOND)
              .snapshot());
    }
    return new MetricSnapshots(all);
  }
}
