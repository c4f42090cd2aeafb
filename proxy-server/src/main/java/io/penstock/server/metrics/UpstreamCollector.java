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

/** Which slots and nodes can be reached; from snapshots, so that no event loop is asked. */
final class UpstreamCollector implements MultiCollector {

  private static final double MILLIS_PER_SECOND = 1e3;

  private final Supplier<UpstreamStatus> upstream;
  private final Supplier<@Nullable Instant> topologyAsOf;

  UpstreamCollector(Supplier<UpstreamStatus> upstream, Supplier<@Nullable Instant> topologyAsOf) {
    this.upstream = upstream;
    this.topologyAsOf = topologyAsOf;
  }

  @Override
  public MetricSnapshots collect() {
    UpstreamStatus status = upstream.get();
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(
        Family.gauge(
                "penstock_slots_covered",
                "How many of the 16384 slots have a master that answered within the last 5 seconds")
            .add(status.coveredSlots())
            .snapshot());
    Family up =
        Family.gauge(
            "penstock_node_up", "1 if the node has answered within the last 5 seconds, else 0");
    for (NodeStatus node : Set.copyOf(status.nodes())) { // two ids may have one address for a while
      String role = node.master() ? "master" : "replica";
      up.add(node.up() ? 1 : 0, "node", node.node().toString(), "role", role);
    }
    all.add(up.snapshot());
    Instant last = topologyAsOf.get();
    if (last != null) {
      all.add(
          Family.gauge(
                  "penstock_topology_last_success_timestamp_seconds",
                  "When a refresh of the topology last succeeded, in seconds since 1970")
              .add(last.toEpochMilli() / MILLIS_PER_SECOND)
              .snapshot());
    }
    return new MetricSnapshots(all);
  }
}
