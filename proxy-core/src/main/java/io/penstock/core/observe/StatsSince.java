package io.penstock.core.observe;

import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.Traffic;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Subtracts earlier statistics: those counters that {@code CONFIG RESETSTAT} resets on a server.
 */
final class StatsSince {

  private StatsSince() {}

  static ProxyStats of(ProxyStats before, ProxyStats now) {
    return new ProxyStats(
        commands(before.commands(), now.commands()),
        now.clientsNow(),
        now.clientsTotal() - before.clientsTotal(),
        now.clientsRejected() - before.clientsRejected(),
        now.clientsDelayed() - before.clientsDelayed(),
        now.nodes(),
        now.redirects(),
        now.loops(),
        now.pubSub(),
        traffic(before.traffic(), now.traffic()),
        errors(before.errors(), now.errors()),
        now.held(),
        pressure(before.pressure(), now.pressure()),
        now.reads(),
        now.crossSlot(),
        now.shadow(),
        now.mirror());
  }

  private static List<CommandStats> commands(List<CommandStats> before, List<CommandStats> now) {
    Map<String, CommandStats> earlier =
        before.stream().collect(Collectors.toMap(CommandStats::name, stats -> stats));
    List<CommandStats> since = new ArrayList<>();
    for (CommandStats stats : now) {
      CommandStats then = earlier.get(stats.name());
      CommandStats difference = then == null ? stats : minus(stats, then);
      if (difference.outcomes().values().stream().anyMatch(count -> count > 0)) {
        since.add(difference);
      }
    }
    return since;
  }

  private static CommandStats minus(CommandStats now, CommandStats before) {
    Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
    now.outcomes()
        .forEach((outcome, count) ->
            outcomes.put(outcome, count - before.outcomes().getOrDefault(outcome, 0L)));
    long[] buckets = now.bucketCounts().clone();
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] -= before.bucketCounts()[i];
    }
    return new CommandStats(now.name(), outcomes, buckets, now.totalNanos() - before.totalNanos());
  }

  private static Traffic traffic(Traffic before, Traffic now) {
    return new Traffic(
        now.bytesReceived() - before.bytesReceived(),
        now.bytesSent() - before.bytesSent(),
        now.commandsPerSecond(),
        now.bytesReceivedPerSecond(),
        now.bytesSentPerSecond(),
        now.blockedClients());
  }

  private static Map<String, Long> errors(Map<String, Long> before, Map<String, Long> now) {
    Map<String, Long> since = new HashMap<>();
    now.forEach((prefix, count) -> {
      long more = count - before.getOrDefault(prefix, 0L);
      if (more > 0) {
        since.put(prefix, more);
      }
    });
    return since;
  }

  private static Pressure pressure(Pressure before, Pressure now) {
    Map<CloseReason, Long> closed = new EnumMap<>(CloseReason.class);
    now.closed()
        .forEach((reason, count) ->
            closed.put(reason, count - before.closed().getOrDefault(reason, 0L)));
    return new Pressure(
        now.memory(),
        now.unanswered(),
        now.paused(),
        closed,
        now.authenticationFailures() - before.authenticationFailures(),
        now.authenticationDelays() - before.authenticationDelays());
  }
}
