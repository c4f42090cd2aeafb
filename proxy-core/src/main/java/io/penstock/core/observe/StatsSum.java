package io.penstock.core.observe;

import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Adds statistics of different parts of a proxy. */
final class StatsSum {

  private StatsSum() {}

  static ProxyStats of(ProxyStats one, ProxyStats other) {
    return new ProxyStats(
        commands(one.commands(), other.commands()),
        one.clientsNow() + other.clientsNow(),
        one.clientsTotal() + other.clientsTotal(),
        one.clientsRejected() + other.clientsRejected(),
        one.clientsDelayed() + other.clientsDelayed(),
        nodes(one.nodes(), other.nodes()),
        redirects(one.redirects(), other.redirects()),
        loops(one.loops(), other.loops()),
        one.pubSub().plus(other.pubSub()),
        one.traffic().plus(other.traffic()),
        errors(one.errors(), other.errors()),
        one.held().plus(other.held()),
        one.pressure().plus(other.pressure()),
        one.reads().plus(other.reads()),
        one.crossSlot().plus(other.crossSlot()),
        one.shadow().plus(other.shadow()),
        one.mirror().plus(other.mirror()));
  }

  private static List<CommandStats> commands(List<CommandStats> one, List<CommandStats> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    Map<String, CommandStats> sums = new LinkedHashMap<>();
    one.forEach(each -> sums.put(each.name(), each));
    other.forEach(each -> sums.merge(each.name(), each, StatsSum::add));
    return List.copyOf(sums.values());
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

  private static List<NodeStats> nodes(List<NodeStats> one, List<NodeStats> other) {
    Map<Endpoint, NodeStats> sums = new LinkedHashMap<>();
    one.forEach(each -> sums.merge(each.node(), each, NodeStats::plus));
    other.forEach(each -> sums.merge(each.node(), each, NodeStats::plus));
    return List.copyOf(sums.values());
  }

  private static Map<RetryablePrefix, Long> redirects(
      Map<RetryablePrefix, Long> one, Map<RetryablePrefix, Long> other) {
    Map<RetryablePrefix, Long> sums = new EnumMap<>(RetryablePrefix.class);
    sums.putAll(one);
    other.forEach((kind, count) -> sums.merge(kind, count, Long::sum));
    return Map.copyOf(sums);
  }

  /** Listeners and upstreams share the loops: each loop counts once. */
  private static List<LoopStats> loops(List<LoopStats> one, List<LoopStats> other) {
    return one.isEmpty() ? other : one;
  }

  private static Map<String, Long> errors(Map<String, Long> one, Map<String, Long> other) {
    Map<String, Long> sums = new HashMap<>(one);
    other.forEach((prefix, count) -> sums.merge(prefix, count, Long::sum));
    return Map.copyOf(sums);
  }
}
