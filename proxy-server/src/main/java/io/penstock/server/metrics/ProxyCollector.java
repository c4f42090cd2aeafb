package io.penstock.server.metrics;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.ErrorPrefix;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.PubSubStats;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.observe.ShadowStats.Skipped;
import io.penstock.core.observe.StatsByName;
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
import java.util.stream.Stream;

/** Exports {@link StatsByName}: all values of one scrape are of the same moment. */
final class ProxyCollector implements MultiCollector {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final String LISTENER = "listener";
  private static final String UPSTREAM = "upstream";

  /** Upper bounds of the buckets in seconds; the last one is infinite. */
  private static final double[] BOUNDS = bounds();

  private final StatsReader reader;

  ProxyCollector(StatsReader reader) {
    this.reader = reader;
  }

  @Override
  public MetricSnapshots collect() {
    StatsByName stats = reader.read();
    List<MetricSnapshot> all = new ArrayList<>();
    all.add(Metric.STATS_AGE.family().add(reader.age().toNanos() / NANOS_PER_SECOND).snapshot());
    if (stats == null) {
      return new MetricSnapshots(all);
    }
    Map<String, ProxyStats> listeners = stats.listeners();
    Map<String, ProxyStats> upstreams = stats.upstreams();
    commands(listeners, all);
    crossSlot(listeners, all);
    clients(listeners, all);
    nodes(upstreams, all);
    retryableErrors(listeners, all);
    failoverHold(upstreams, all);
    reads(upstreams, all);
    shadows(upstreams, all);
    MirrorFamilies.add(upstreams, all);
    pubSub(listeners, upstreams, all);
    loops(stats.loops().loops(), all);
    return new MetricSnapshots(all);
  }

  /** Adds a metric whose only label is the name of the listener. */
  private static void perListener(
      Metric metric,
      Map<String, ProxyStats> listeners,
      ToDoubleFunction<ProxyStats> value,
      List<MetricSnapshot> all) {
    Family family = metric.family();
    listeners.forEach((name, stats) -> family.add(value.applyAsDouble(stats), LISTENER, name));
    all.add(family.snapshot());
  }

  private static void commands(Map<String, ProxyStats> listeners, List<MetricSnapshot> all) {
    Family counts = Metric.COMMANDS.family();
    HistogramSnapshot.Builder durations = Metric.COMMAND_DURATION.histogram();
    listeners.forEach((listener, stats) -> {
      for (CommandStats command : stats.commands()) {
        command
            .outcomes()
            .forEach((outcome, count) ->
                counts.add(
                    count,
                    LISTENER,
                    listener,
                    "command",
                    command.name(),
                    "outcome",
                    lower(outcome)));
        durations.dataPoint(durations(listener, command));
      }
    });
    all.add(counts.snapshot());
    all.add(durations.build());
  }

  private static void crossSlot(Map<String, ProxyStats> listeners, List<MetricSnapshot> all) {
    Family commands = Metric.CROSS_SLOT_COMMANDS.family();
    Family rejected = Metric.CROSS_SLOT_REJECTED.family();
    listeners.forEach((listener, stats) -> {
      addByCommand(stats.crossSlot().commands(), listener, commands);
      addByCommand(stats.crossSlot().rejected(), listener, rejected);
    });
    all.add(commands.snapshot());
    all.add(rejected.snapshot());
    perListener(Metric.CROSS_SLOT_MOVED_BYTES, listeners, stats -> stats.crossSlot().bytes(), all);
    perListener(Metric.CROSS_SLOT_RETRIES, listeners, stats -> stats.crossSlot().retries(), all);
  }

  private static void addByCommand(Map<String, Long> counts, String listener, Family into) {
    counts.forEach(
        (command, count) -> into.add((double) count, LISTENER, listener, "command", command));
  }

  private static HistogramDataPointSnapshot durations(String listener, CommandStats command) {
    return HistogramDataPointSnapshot.builder()
        .labels(Labels.of(LISTENER, listener, "command", command.name()))
        .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, command.bucketCounts().clone()))
        .sum(command.totalNanos() / NANOS_PER_SECOND)
        .build();
  }

  private static void clients(Map<String, ProxyStats> listeners, List<MetricSnapshot> all) {
    perListener(Metric.CLIENT_CONNECTIONS, listeners, ProxyStats::clientsNow, all);
    perListener(Metric.CLIENT_CONNECTIONS_ACCEPTED, listeners, ProxyStats::clientsTotal, all);
    perListener(Metric.CLIENT_CONNECTIONS_REJECTED, listeners, ProxyStats::clientsRejected, all);
    perListener(Metric.CLIENT_CONNECTIONS_DELAYED, listeners, ProxyStats::clientsDelayed, all);
    perListener(Metric.CLIENT_MEMORY, listeners, stats -> stats.pressure().memory(), all);
    perListener(
        Metric.CLIENT_REQUESTS_IN_FLIGHT, listeners, stats -> stats.pressure().unanswered(), all);
    perListener(
        Metric.CLIENT_CONNECTIONS_PAUSED, listeners, stats -> stats.pressure().paused(), all);
    perListener(
        Metric.CLIENT_AUTHENTICATION_FAILURES,
        listeners,
        stats -> stats.pressure().authenticationFailures(),
        all);
    perListener(
        Metric.CLIENT_AUTHENTICATION_DELAYS,
        listeners,
        stats -> stats.pressure().authenticationDelays(),
        all);
    Family closed = Metric.CLIENT_CONNECTIONS_CLOSED_BY_LIMIT.family();
    listeners.forEach((name, stats) -> {
      for (CloseReason reason : CloseReason.values()) {
        long count = stats.pressure().closed().getOrDefault(reason, 0L);
        closed.add((double) count, LISTENER, name, "reason", lower(reason));
      }
    });
    all.add(closed.snapshot());
  }

  private static void nodes(Map<String, ProxyStats> upstreams, List<MetricSnapshot> all) {
    perNode(Metric.NODE_CONNECTIONS, upstreams, NodeStats::connections, all);
    perNode(Metric.NODE_EXCLUSIVE_CONNECTIONS, upstreams, NodeStats::exclusive, all);
    perNode(Metric.NODE_IN_FLIGHT, upstreams, NodeStats::inFlight, all);
    perNode(Metric.NODE_SENT_BYTES, upstreams, NodeStats::bytesSent, all);
    perNode(Metric.NODE_RECEIVED_BYTES, upstreams, NodeStats::bytesReceived, all);
    perNode(Metric.NODE_RECONNECTS, upstreams, NodeStats::reconnects, all);
    perNode(Metric.NODE_CONNECTION_ERRORS, upstreams, NodeStats::errors, all);
    all.add(errorReplies(upstreams));
  }

  private static MetricSnapshot errorReplies(Map<String, ProxyStats> upstreams) {
    Family family = Metric.NODE_ERROR_REPLIES.family();
    upstreams.forEach((name, stats) -> {
      for (NodeStats node : stats.nodes()) {
        String address = node.node().toString();
        for (ErrorPrefix prefix : ErrorPrefix.values()) {
          long count = node.errorReplies().getOrDefault(prefix, 0L);
          family.add((double) count, UPSTREAM, name, "node", address, "prefix", prefix.label());
        }
      }
    });
    return family.snapshot();
  }

  private static void perNode(
      Metric metric,
      Map<String, ProxyStats> upstreams,
      ToDoubleFunction<NodeStats> value,
      List<MetricSnapshot> all) {
    Family family = metric.family();
    upstreams.forEach((name, stats) -> {
      for (NodeStats node : stats.nodes()) {
        family.add(value.applyAsDouble(node), UPSTREAM, name, "node", node.node().toString());
      }
    });
    all.add(family.snapshot());
  }

  private static void retryableErrors(Map<String, ProxyStats> listeners, List<MetricSnapshot> all) {
    Family family = Metric.RETRYABLE_ERRORS.family();
    listeners.forEach((name, stats) -> {
      for (RetryablePrefix type : RetryablePrefix.values()) {
        long count = stats.redirects().getOrDefault(type, 0L);
        family.add((double) count, LISTENER, name, "type", lower(type));
      }
    });
    all.add(family.snapshot());
  }

  private static void failoverHold(Map<String, ProxyStats> upstreams, List<MetricSnapshot> all) {
    Family now = Metric.FAILOVER_HOLD_REQUESTS.family();
    Family outcomes = Metric.FAILOVER_HOLD_OUTCOMES.family();
    upstreams.forEach((name, stats) -> {
      now.add((double) stats.held().now(), UPSTREAM, name);
      for (HeldOutcome outcome : HeldOutcome.values()) {
        outcomes.add(
            (double) stats.held().count(outcome), UPSTREAM, name, "outcome", lower(outcome));
      }
    });
    all.add(now.snapshot());
    all.add(outcomes.snapshot());
  }

  private static void reads(Map<String, ProxyStats> upstreams, List<MetricSnapshot> all) {
    Family replicas = Metric.REPLICA_READS.family();
    Family ownWrites = Metric.REPLICA_READS_OF_OWN_WRITES.family();
    upstreams.forEach((name, stats) -> {
      replicas.add((double) stats.reads().replicas(), UPSTREAM, name);
      ownWrites.add((double) stats.reads().ownWrites(), UPSTREAM, name);
    });
    all.add(replicas.snapshot());
    all.add(ownWrites.snapshot());
  }

  /** Adds nothing for upstreams that have had no shadow. */
  private static void shadows(Map<String, ProxyStats> upstreams, List<MetricSnapshot> all) {
    Family requests = Metric.SHADOW_REQUESTS.family();
    Family same = Metric.SHADOW_SAME.family();
    Family settled = Metric.SHADOW_SETTLED.family();
    Family differing = Metric.SHADOW_DIFFERING.family();
    Family skipped = Metric.SHADOW_SKIPPED.family();
    Family errors = Metric.SHADOW_ERRORS.family();
    HistogramSnapshot.Builder durations = Metric.SHADOW_DURATION.histogram();
    upstreams.forEach((name, stats) -> {
      ShadowStats shadow = stats.shadow();
      if (!shadow.isEmpty()) {
        requests.add((double) shadow.requests(), UPSTREAM, name);
        same.add((double) shadow.same(), UPSTREAM, name);
        settled.add((double) shadow.settled(), UPSTREAM, name);
        addCounts(shadow.differing(), name, "command", differing);
        for (Skipped reason : Skipped.values()) {
          long count = shadow.skipped().getOrDefault(reason, 0L);
          skipped.add((double) count, UPSTREAM, name, "reason", reason.label());
        }
        addCounts(shadow.errors(), name, "error", errors);
        durations.dataPoint(durations(name, "upstream", shadow.ownDurations()));
        durations.dataPoint(durations(name, "shadow", shadow.shadowDurations()));
      }
    });
    Stream.of(requests, same, settled, differing, skipped, errors)
        .map(Family::snapshot)
        .forEach(all::add);
    all.add(durations.build());
  }

  private static void addCounts(
      Map<String, Long> counts, String upstream, String label, Family into) {
    counts.forEach((value, count) -> into.add((double) count, UPSTREAM, upstream, label, value));
  }

  private static HistogramDataPointSnapshot durations(
      String upstream, String side, ShadowStats.Durations durations) {
    return HistogramDataPointSnapshot.builder()
        .labels(Labels.of(UPSTREAM, upstream, "side", side))
        .classicHistogramBuckets(
            ClassicHistogramBuckets.of(BOUNDS, durations.bucketCounts().clone()))
        .sum(durations.totalNanos() / NANOS_PER_SECOND)
        .build();
  }

  private static void pubSub(
      Map<String, ProxyStats> listeners,
      Map<String, ProxyStats> upstreams,
      List<MetricSnapshot> all) {
    Family names = Metric.PUBSUB_SUBSCRIPTIONS.family();
    upstreams.forEach((upstream, stats) -> {
      PubSubStats subscribed = stats.pubSub();
      names.add((double) subscribed.channels(), UPSTREAM, upstream, "kind", "channel");
      names.add((double) subscribed.patterns(), UPSTREAM, upstream, "kind", "pattern");
      names.add((double) subscribed.shardChannels(), UPSTREAM, upstream, "kind", "shard");
    });
    all.add(names.snapshot());
    perListener(Metric.PUBSUB_MESSAGES, listeners, stats -> stats.pubSub().messages(), all);
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
