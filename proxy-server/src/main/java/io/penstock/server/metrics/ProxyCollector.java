package io.penstock.server.metrics;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.PubSubStats;
import io.penstock.core.upstream.RetryablePrefix;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Everything that {@link ProxyStats} holds, as one consistent set of metrics per scrape. */
final class ProxyCollector implements MultiCollector {

  private static final double NANOS_PER_SECOND = 1e9;

  /** Upper bounds in seconds, and one bucket for what is longer. */
  private static final double[] BOUNDS = bounds();

  private final StatsReader reader;

  ProxyCollector(StatsReader reader) {
    this.reader = reader;
  }

  @Override
  public MetricSnapshots collect() {
    ProxyStats stats = reader.read();
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(
        Family.gauge(
                "penstock_figures_age_seconds",
                "How old all other figures are: an event loop that hangs tells none")
            .add(reader.age().toNanos() / NANOS_PER_SECOND)
            .snapshot());
    if (stats == null) {
      return new MetricSnapshots(all);
    }
    commands(stats, all);
    clients(stats, all);
    nodes(stats.nodes(), all);
    redirects(stats, all);
    held(stats.held(), all);
    pubSub(stats.pubSub(), all);
    pressure(stats.pressure(), all);
    loops(stats.loops(), all);
    return new MetricSnapshots(all);
  }

  private static void commands(ProxyStats stats, List<MetricSnapshot> all) {
    Family counts = Family.counter("penstock_commands", "Commands by how they ended");
    HistogramSnapshot.Builder durations =
        HistogramSnapshot.builder()
            .name("penstock_command_duration_seconds")
            .help("From a command's last byte to the last of its node's reply");
    for (CommandStats command : stats.commands()) {
      for (Map.Entry<Outcome, Long> entry : command.outcomes().entrySet()) {
        counts.add(entry.getValue(), "command", command.name(), "outcome", lower(entry.getKey()));
      }
      durations.dataPoint(
          HistogramDataPointSnapshot.builder()
              .labels(Labels.of("command", command.name()))
              .classicHistogramBuckets(
                  ClassicHistogramBuckets.of(BOUNDS, command.bucketCounts().clone()))
              .sum(command.totalNanos() / NANOS_PER_SECOND)
              .build());
    }
    all.add(counts.snapshot());
    all.add(durations.build());
  }

  private static void clients(ProxyStats stats, List<MetricSnapshot> all) {
    all.add(
        Family.gauge("penstock_client_connections", "Open client connections")
            .add((double) stats.clientsNow())
            .snapshot());
    all.add(
        Family.counter("penstock_client_connections_accepted", "Client connections since the start")
            .add((double) stats.clientsTotal())
            .snapshot());
    all.add(
        Family.counter(
                "penstock_client_connections_refused", "Client connections above max-clients")
            .add((double) stats.clientsRejected())
            .snapshot());
    all.add(
        Family.counter(
                "penstock_client_connections_delayed",
                "How often clients waited to be accepted, because of max-connection-rate")
            .add((double) stats.clientsDelayed())
            .snapshot());
  }

  private static void nodes(List<NodeStats> nodes, List<MetricSnapshot> all) {
    perNode(
        Family.gauge("penstock_node_connections", "Open connections to the node"),
        nodes,
        NodeStats::connections,
        all);
    perNode(
        Family.gauge(
            "penstock_node_exclusive_connections", "Of them, those for one client each at a time"),
        nodes,
        NodeStats::exclusive,
        all);
    perNode(
        Family.gauge("penstock_node_in_flight", "Commands sent to the node and not yet answered"),
        nodes,
        NodeStats::inFlight,
        all);
    perNode(
        Family.counter("penstock_node_sent_bytes", "Bytes sent to the node"),
        nodes,
        NodeStats::bytesSent,
        all);
    perNode(
        Family.counter("penstock_node_received_bytes", "Bytes received from the node"),
        nodes,
        NodeStats::bytesReceived,
        all);
    perNode(
        Family.counter("penstock_node_reconnects", "Connections made after one was lost"),
        nodes,
        NodeStats::reconnects,
        all);
    perNode(
        Family.counter("penstock_node_errors", "Connections lost, and attempts that failed"),
        nodes,
        NodeStats::errors,
        all);
  }

  private static void perNode(
      Family family,
      List<NodeStats> nodes,
      ToDoubleFunction<NodeStats> figure,
      List<MetricSnapshot> all) {
    for (NodeStats node : nodes) {
      family.add(figure.applyAsDouble(node), "node", node.node().toString());
    }
    all.add(family.snapshot());
  }

  private static void redirects(ProxyStats stats, List<MetricSnapshot> all) {
    Family family =
        Family.counter("penstock_redirects", "Replies that made Penstock send a command again");
    for (RetryablePrefix type : RetryablePrefix.values()) {
      family.add(stats.redirects().getOrDefault(type, 0L), "type", lower(type));
    }
    all.add(family.snapshot());
  }

  private static void held(HeldStats held, List<MetricSnapshot> all) {
    all.add(
        Family.gauge("penstock_held_requests", "Requests that wait until a node takes them")
            .add((double) held.now())
            .snapshot());
    Family outcomes =
        Family.counter("penstock_hold_outcomes", "Requests that waited, by what became of them");
    for (HeldOutcome outcome : HeldOutcome.values()) {
      outcomes.add((double) held.count(outcome), "outcome", lower(outcome));
    }
    all.add(outcomes.snapshot());
  }

  private static void pubSub(PubSubStats stats, List<MetricSnapshot> all) {
    Family names =
        Family.gauge("penstock_pubsub_subscriptions", "Distinct names that clients listen to");
    names.add((double) stats.channels(), "kind", "channel");
    names.add((double) stats.patterns(), "kind", "pattern");
    names.add((double) stats.shardChannels(), "kind", "shard");
    all.add(names.snapshot());
    all.add(
        Family.counter("penstock_pubsub_messages", "Messages given to clients, once for each")
            .add((double) stats.messages())
            .snapshot());
  }

  private static void pressure(Pressure pressure, List<MetricSnapshot> all) {
    gauge(
        "penstock_client_memory_bytes",
        "What is kept in buffers for clients",
        pressure.memory(),
        all);
    gauge(
        "penstock_client_requests_in_flight",
        "Requests taken up and not yet answered",
        pressure.unanswered(),
        all);
    gauge(
        "penstock_client_connections_paused",
        "Clients not read at present: too much is unanswered or unread, or a node does not keep up",
        pressure.paused(),
        all);
    Family closed =
        Family.counter("penstock_client_connections_closed", "Clients closed for a limit");
    for (CloseReason reason : CloseReason.values()) {
      closed.add(pressure.closed().getOrDefault(reason, 0L), "reason", lower(reason));
    }
    all.add(closed.snapshot());
    all.add(
        Family.counter(
                "penstock_client_authentication_failures", "Wrong credentials that clients gave")
            .add((double) pressure.authenticationFailures())
            .snapshot());
  }

  private static void gauge(String name, String help, long value, List<MetricSnapshot> all) {
    all.add(Family.gauge(name, help).add((double) value).snapshot());
  }

  private static void loops(List<LoopStats> loops, List<MetricSnapshot> all) {
    Family lag =
        Family.gauge("penstock_event_loop_lag_seconds", "How late the loop's newest tick was");
    Family longest =
        Family.gauge(
            "penstock_event_loop_lag_max_seconds", "How late the loop's latest tick was, ever");
    for (LoopStats loop : loops) {
      String index = Integer.toString(loop.index());
      lag.add(loop.lagNanos() / NANOS_PER_SECOND, "loop", index);
      longest.add(loop.maxLagNanos() / NANOS_PER_SECOND, "loop", index);
    }
    all.add(lag.snapshot());
    all.add(longest.snapshot());
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static double[] bounds() {
    long[] nanos = DurationBuckets.upperBounds();
    double[] seconds = new double[nanos.length + 1];
    for (int i = 0; i < nanos.length; i++) {
      seconds[i] = nanos[i] / NANOS_PER_SECOND;
    }
    seconds[nanos.length] = Double.POSITIVE_INFINITY;
    return seconds;
  }
}
