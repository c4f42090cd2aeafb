package io.penstock.core;

import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.CommandTable;
import io.penstock.core.listener.Admission;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.PubSubStats;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Sums the statistics of the loops of one or more services. */
final class StatsCollector {

  private final List<Admission> admissions;
  private final List<SubscriberCounts> audiences;

  /**
   * @param admissions of the services
   * @param audiences of the same services
   */
  StatsCollector(List<Admission> admissions, List<SubscriberCounts> audiences) {
    this.admissions = List.copyOf(admissions);
    this.audiences = List.copyOf(audiences);
  }

  /**
   * One loop's figures, read on that loop.
   *
   * @param nodes statistics of open connections, by node
   * @param closed statistics of closed connections, by node
   */
  record LoopFigures(
      LoopStats loop,
      Map<String, CommandStats> commands,
      Map<RetryablePrefix, Long> redirects,
      List<NodeStats> nodes,
      List<NodeStats> closed,
      long messages,
      Traffic traffic,
      Map<String, Long> errors,
      HeldStats held,
      Pressure pressure) {}

  /** Reads one loop's counters. Must be called on that loop. */
  static LoopFigures read(ServiceLoop serviceLoop) {
    LoopCounters counters = serviceLoop.sessions().counters();
    Map<String, CommandStats> commands = new LinkedHashMap<>();
    allSpecs(serviceLoop.sessions().servers().commands())
        .forEach(spec -> addIfSeen(spec, counters, commands));
    Map<RetryablePrefix, Long> redirects = new EnumMap<>(RetryablePrefix.class);
    for (RetryablePrefix kind : RetryablePrefix.values()) {
      redirects.put(kind, counters.redirects(kind));
    }
    var loop =
        new LoopStats(serviceLoop.loop().index(), counters.lagNanos(), counters.maxLagNanos());
    return new LoopFigures(
        loop,
        commands,
        redirects,
        serviceLoop.nodeStats(),
        serviceLoop.closedNodeStats(),
        counters.messages(),
        serviceLoop.sessions().traffic(),
        counters.errors(),
        serviceLoop.sessions().failoverHold().stats(),
        serviceLoop.sessions().pressure());
  }

  private static Stream<CommandSpec> allSpecs(CommandTable table) {
    return table.commands().stream()
        .flatMap(spec -> Stream.concat(Stream.of(spec), spec.subcommands().stream()));
  }

  private static void addIfSeen(
      CommandSpec spec, LoopCounters counters, Map<String, CommandStats> into) {
    Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
    long seen = 0;
    for (Outcome outcome : Outcome.values()) {
      long count = counters.count(spec.id(), outcome);
      outcomes.put(outcome, count);
      seen += count;
    }
    if (seen == 0) {
      return;
    }
    long[] buckets = new long[DurationBuckets.BOUNDED + 1];
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = counters.bucket(spec.id(), i);
    }
    into.put(
        spec.displayName(),
        new CommandStats(spec.displayName(), outcomes, buckets, counters.totalNanos(spec.id())));
  }

  /** Sums the figures of all loops. */
  ProxyStats sum(List<LoopFigures> figures) {
    Map<String, CommandStats> commands = new LinkedHashMap<>();
    Map<RetryablePrefix, Long> redirects = new EnumMap<>(RetryablePrefix.class);
    Map<Integer, LoopStats> loops = new LinkedHashMap<>(); // services share them
    Traffic traffic = Traffic.NONE;
    HeldStats held = HeldStats.NONE;
    Map<String, Long> errors = new HashMap<>();
    Pressure pressure = Pressure.NONE;
    for (LoopFigures each : figures) {
      loops.putIfAbsent(each.loop().index(), each.loop());
      each.commands().forEach((name, stats) -> commands.merge(name, stats, StatsCollector::add));
      each.redirects().forEach((kind, count) -> redirects.merge(kind, count, Long::sum));
      each.errors().forEach((prefix, count) -> errors.merge(prefix, count, Long::sum));
      traffic = traffic.plus(each.traffic());
      held = held.plus(each.held());
      pressure = pressure.plus(each.pressure());
    }
    return new ProxyStats(
        List.copyOf(commands.values()),
        admissions.stream().mapToInt(Admission::now).sum(),
        admissions.stream().mapToLong(Admission::total).sum(),
        admissions.stream().mapToLong(Admission::rejected).sum(),
        admissions.stream().mapToLong(Admission::delayed).sum(),
        nodes(figures),
        Map.copyOf(redirects),
        List.copyOf(loops.values()),
        pubSub(figures),
        traffic,
        Map.copyOf(errors),
        held,
        pressure);
  }

  private PubSubStats pubSub(List<LoopFigures> figures) {
    long messages = 0;
    for (LoopFigures each : figures) {
      messages += each.messages();
    }
    return new PubSubStats(names(Kind.CHANNEL), names(Kind.PATTERN), names(Kind.SHARD), messages);
  }

  private long names(Kind kind) {
    return audiences.stream().mapToLong(audience -> audience.nameCount(kind)).sum();
  }

  private static CommandStats add(CommandStats a, CommandStats b) {
    Map<Outcome, Long> outcomes = new EnumMap<>(a.outcomes());
    b.outcomes().forEach((outcome, count) -> outcomes.merge(outcome, count, Long::sum));
    long[] buckets = a.bucketCounts().clone();
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] += b.bucketCounts()[i];
    }
    return new CommandStats(a.name(), outcomes, buckets, a.totalNanos() + b.totalNanos());
  }

  /**
   * Lists only nodes with an open connection on some loop; subscriber connections count. The
   * statistics of their closed connections are added.
   */
  private static List<NodeStats> nodes(List<LoopFigures> figures) {
    Map<Endpoint, NodeStats> nodes = new LinkedHashMap<>();
    for (LoopFigures each : figures) {
      each.nodes().forEach(node -> nodes.merge(node.node(), node, NodeStats::plus));
    }
    for (LoopFigures each : figures) {
      each.closed()
          .forEach(past -> nodes.computeIfPresent(past.node(), (_, now) -> now.plus(past)));
    }
    return List.copyOf(nodes.values());
  }
}
