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

/** Exports {@link ProxyStats}: all values of one scrape are of the same moment. */
final class ProxyCollector implements MultiCollector {

  private static final double NANOS_PER_SECOND = 1e9;

  /** Upper bounds of the buckets in seconds; the last one is infinite. */
  private static final double[] BOUNDS = bounds();

  private final StatsReader reader;

  ProxyCollector(StatsReader reader) {
    this.reader = reader;
  }

  @Override
  public MetricSnapshots collect() {
    ProxyStats stats = reader.read();
    List<MetricSnapshot> all = new ArrayList<>();
    add(Metric.STATS_AGE, reader.age().toNanos() / NANOS_PER_SECOND, all);
    if (stats == null) {
      return new MetricSnapshots(all);
    }
    commands(stats, all);
    clients(stats, all);
    pressure(stats.pressure(), all);
    nodes(stats.nodes(), all);
    retryableErrors(stats, all);
    failoverHold(stats.held(), all);
    pubSub(stats.pubSub(), all);
    loops(stats.loops(), all);
    return new MetricSnapshots(all);
  }

  /** Adds a metric without labels. */
  private static void add(Metric metric, long value, List<MetricSnapshot> all) {
    add(metric, (double) value, all);
  }

  private static void add(Metric metric, double value, List<MetricSnapshot> all) {
    all.add(metric.family().add(value).snapshot());
  }

  private static void commands(ProxyStats stats, List<MetricSnapshot> all) {
    Family counts = Metric.COMMANDS.family();
    HistogramSnapshot.Builder durations = Metric.COMMAND_DURATION.histogram();
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
    add(Metric.CLIENT_CONNECTIONS, stats.clientsNow(), all);
    add(Metric.CLIENT_CONNECTIONS_ACCEPTED, stats.clientsTotal(), all);
    add(Metric.CLIENT_CONNECTIONS_REJECTED, stats.clientsRejected(), all);
    add(Metric.CLIENT_CONNECTIONS_DELAYED, stats.clientsDelayed(), all);
  }

  private static void pressure(Pressure pressure, List<MetricSnapshot> all) {
    add(Metric.CLIENT_MEMORY, pressure.memory(), all);
    add(Metric.CLIENT_REQUESTS_IN_FLIGHT, pressure.unanswered(), all);
    add(Metric.CLIENT_CONNECTIONS_PAUSED, pressure.paused(), all);
    add(Metric.CLIENT_AUTHENTICATION_FAILURES, pressure.authenticationFailures(), all);
    Family closed = Metric.CLIENT_CONNECTIONS_CLOSED_BY_LIMIT.family();
    for (CloseReason reason : CloseReason.values()) {
      closed.add(pressure.closed().getOrDefault(reason, 0L), "reason", lower(reason));
    }
    all.add(closed.snapshot());
  }

  private static void nodes(List<NodeStats> nodes, List<MetricSnapshot> all) {
    perNode(Metric.NODE_CONNECTIONS, nodes, NodeStats::connections, all);
    perNode(Metric.NODE_EXCLUSIVE_CONNECTIONS, nodes, NodeStats::exclusive, all);
    perNode(Metric.NODE_IN_FLIGHT, nodes, NodeStats::inFlight, all);
    perNode(Metric.NODE_SENT_BYTES, nodes, NodeStats::bytesSent, all);
    perNode(Metric.NODE_RECEIVED_BYTES, nodes, NodeStats::bytesReceived, all);
    perNode(Metric.NODE_RECONNECTS, nodes, NodeStats::reconnects, all);
    perNode(Metric.NODE_CONNECTION_ERRORS, nodes, NodeStats::errors, all);
  }

  private static void perNode(
      Metric metric,
      List<NodeStats> nodes,
      ToDoubleFunction<NodeStats> value,
      List<MetricSnapshot> all) {
    Family family = metric.family();
    for (NodeStats node : nodes) {
      family.add(value.applyAsDouble(node), "node", node.node().toString());
    }
    all.add(family.snapshot());
  }

  private static void retryableErrors(ProxyStats stats, List<MetricSnapshot> all) {
    Family family = Metric.RETRYABLE_ERRORS.family();
    for (RetryablePrefix type : RetryablePrefix.values()) {
      family.add(stats.redirects().getOrDefault(type, 0L), "type", lower(type));
    }
    all.add(family.snapshot());
  }

  private static void failoverHold(HeldStats held, List<MetricSnapshot> all) {
    add(Metric.FAILOVER_HOLD_REQUESTS, held.now(), all);
    Family outcomes = Metric.FAILOVER_HOLD_OUTCOMES.family();
    for (HeldOutcome outcome : HeldOutcome.values()) {
      outcomes.add((double) held.count(outcome), "outcome", lower(outcome));
    }
    all.add(outcomes.snapshot());
  }

  private static void pubSub(PubSubStats stats, List<MetricSnapshot> all) {
    all.add(
        Metric.PUBSUB_SUBSCRIPTIONS
            .family()
            .add((double) stats.channels(), "kind", "channel")
            .add((double) stats.patterns(), "kind", "pattern")
            .add((double) stats.shardChannels(), "kind", "shard")
            .snapshot());
    add(Metric.PUBSUB_MESSAGES, stats.messages(), all);
  }

  private static void loops(List<LoopStats> loops, List<MetricSnapshot> all) {
    Family lag = Metric.EVENT_LOOP_LAG.family();
    Family longest = Metric.EVENT_LOOP_LAG_MAX.family();
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
