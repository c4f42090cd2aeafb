package io.penstock.server.metrics;

import io.penstock.core.tcp.TcpServers.Status;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Exports the servers of TCP upstreams; nothing if there are none. */
final class TcpCollector implements MultiCollector {

  private static final String UPSTREAM = "upstream";

  private final Supplier<List<View>> upstreams;

  TcpCollector(Supplier<List<View>> upstreams) {
    this.upstreams = upstreams;
  }

  /**
   * What is known about one upstream.
   *
   * @param turnedAway clients that were closed because no server could be had
   */
  record View(String name, List<Status> servers, long turnedAway) {}

  @Override
  public MetricSnapshots collect() {
    List<View> all = upstreams.get();
    if (all.isEmpty()) {
      return new MetricSnapshots(List.of());
    }
    List<MetricSnapshot> snapshots = new ArrayList<>();
    snapshots.add(perServer(Metric.TCP_SERVER_UP, all, status -> status.up() ? 1 : 0));
    snapshots.add(perServer(Metric.TCP_CONNECTIONS, all, Status::connections));
    snapshots.add(perServer(Metric.TCP_CONNECTIONS_OPENED, all, Status::opened));
    snapshots.add(perServer(Metric.TCP_CONNECT_FAILURES, all, Status::failed));
    snapshots.add(perServer(Metric.TCP_SENT_BYTES, all, Status::sent));
    snapshots.add(perServer(Metric.TCP_RECEIVED_BYTES, all, Status::received));
    Family turnedAway = Metric.TCP_CLIENTS_TURNED_AWAY.family();
    all.forEach(each -> turnedAway.add((double) each.turnedAway(), UPSTREAM, each.name()));
    snapshots.add(turnedAway.snapshot());
    return new MetricSnapshots(snapshots);
  }

  private static MetricSnapshot perServer(
      Metric metric, List<View> upstreams, ToDoubleFunction<Status> value) {
    Family family = metric.family();
    for (View upstream : upstreams) {
      for (Status status : upstream.servers()) {
        String server = status.server().toString();
        family.add(value.applyAsDouble(status), UPSTREAM, upstream.name(), "server", server);
      }
    }
    return family.snapshot();
  }
}
