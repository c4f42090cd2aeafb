package io.penstock.core.assembly;

import io.penstock.core.listener.Admission;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats;
import io.penstock.core.observe.ProxyStats.CommandStats;
import io.penstock.core.observe.ProxyStats.CrossSlotStats;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.core.observe.ProxyStats.PubSubStats;
import io.penstock.core.observe.ProxyStats.Traffic;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Sums the statistics of the loops of a listener or of an upstream. What the other one counts is
 * zero in the sum, so that they can be added.
 */
public final class StatsCollector {

  private StatsCollector() {}

  /**
   * Figures about an upstream's connections of one loop, read on that loop: those for commands or
   * those for subscriptions.
   *
   * @param nodes statistics of open connections, by node
   * @param closed statistics of closed connections, by node
   */
  public record UpstreamFigures(
      List<NodeStats> nodes,
      List<NodeStats> closed,
      HeldStats held,
      ReadCounts reads,
      ShadowStats shadow) {

    static final UpstreamFigures NONE =
        new UpstreamFigures(
            List.of(), List.of(), HeldStats.NONE, ReadCounts.NONE, ShadowStats.NONE);

    /** Returns the sum with those of another loop, or of a closed upstream. */
    UpstreamFigures plus(UpstreamFigures other) {
      return new UpstreamFigures(
          joined(nodes, other.nodes),
          joined(closed, other.closed),
          held.plus(other.held),
          reads.plus(other.reads),
          shadow.plus(other.shadow));
    }

    private static List<NodeStats> joined(List<NodeStats> some, List<NodeStats> more) {
      Map<Endpoint, NodeStats> byNode = new LinkedHashMap<>();
      Stream.concat(some.stream(), more.stream())
          .forEach(each -> byNode.merge(each.node(), each, NodeStats::plus));
      return List.copyOf(byNode.values());
    }

    static UpstreamFigures of(UpstreamLoop loop) {
      return new UpstreamFigures(
          loop.nodeStats(), loop.closedNodeStats(), loop.held(), loop.reads(), loop.shadowStats());
    }

    static UpstreamFigures of(Hub hub) {
      return new UpstreamFigures(
          hub.stats(), hub.closedStats(), HeldStats.NONE, ReadCounts.NONE, ShadowStats.NONE);
    }
  }

  /** Reads the statistics of a listener's clients on one loop. Must be called on that loop. */
  static ProxyStats read(SessionLoop clients) {
    LoopCounters counters = clients.counters();
    List<CommandStats> commands = new ArrayList<>();
    clients.servers().commands().specs().forEach(spec -> addIfSeen(spec, counters, commands));
    Map<RetryablePrefix, Long> redirects = new EnumMap<>(RetryablePrefix.class);
    for (RetryablePrefix kind : RetryablePrefix.values()) {
      redirects.put(kind, counters.redirects(kind));
    }
    return new ProxyStats(
        commands,
        0,
        0,
        0,
        0,
        List.of(),
        redirects,
        List.of(),
        new PubSubStats(0, 0, 0, counters.messages()),
        clients.traffic(),
        counters.errors(),
        HeldStats.NONE,
        clients.pressure(),
        ReadCounts.NONE,
        crossSlot(clients.servers().commands().specs(), counters.crossSlot()),
        ShadowStats.NONE,
        MirrorStats.NONE);
  }

  private static void addIfSeen(CommandSpec spec, LoopCounters counters, List<CommandStats> into) {
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
    into.add(
        new CommandStats(spec.displayName(), outcomes, buckets, counters.totalNanos(spec.id())));
  }

  private static CrossSlotStats crossSlot(List<CommandSpec> specs, CrossSlotCounts counts) {
    Map<String, Long> commands = new TreeMap<>();
    Map<String, Long> rejected = new TreeMap<>();
    for (CommandSpec spec : specs) {
      putIfAny(spec, counts.commands(spec.id()), commands);
      putIfAny(spec, counts.rejected(spec.id()), rejected);
    }
    return new CrossSlotStats(commands, rejected, counts.bytes(), counts.retries());
  }

  private static void putIfAny(CommandSpec spec, long count, Map<String, Long> into) {
    if (count > 0) {
      into.merge(spec.displayName(), count, Long::sum);
    }
  }

  /** Sums the statistics of a listener's clients on all loops. */
  static ProxyStats ofListener(List<ProxyStats> loops, Admission admission) {
    ProxyStats clients =
        new ProxyStats(
            List.of(),
            admission.now(),
            admission.total(),
            admission.rejected(),
            admission.delayed(),
            List.of(),
            zeroRedirects(),
            List.of(),
            PubSubStats.NONE,
            Traffic.NONE,
            Map.of(),
            HeldStats.NONE,
            Pressure.NONE,
            ReadCounts.NONE,
            CrossSlotStats.NONE,
            ShadowStats.NONE,
            MirrorStats.NONE);
    return loops.stream().reduce(clients, ProxyStats::plus);
  }

  /** Returns the statistics of a listener over plain TCP. */
  static ProxyStats ofTcpListener(Admission admission, Map<CloseReason, Long> closed) {
    ProxyStats limits = ProxyStats.ofPressure(new Pressure(0, 0, 0, closed, 0, 0));
    return ofListener(List.of(limits), admission);
  }

  private static Map<RetryablePrefix, Long> zeroRedirects() {
    Map<RetryablePrefix, Long> zero = new EnumMap<>(RetryablePrefix.class);
    for (RetryablePrefix kind : RetryablePrefix.values()) {
      zero.put(kind, 0L);
    }
    return zero;
  }

  private static long names(Set<SubscriberCounts> subscribers, Kind kind) {
    return subscribers.stream().mapToLong(each -> each.nameCount(kind)).sum();
  }

  /**
   * Sums the figures about an upstream of all loops, and of what it has inherited.
   *
   * @param mirror its copies
   */
  static ProxyStats ofUpstream(
      List<UpstreamFigures> all, Set<SubscriberCounts> subscribers, MirrorStats mirror) {
    HeldStats held = HeldStats.NONE;
    ReadCounts reads = ReadCounts.NONE;
    ShadowStats shadow = ShadowStats.NONE;
    for (UpstreamFigures each : all) {
      held = held.plus(each.held());
      reads = reads.plus(each.reads());
      shadow = shadow.plus(each.shadow());
    }
    return new ProxyStats(
        List.of(),
        0,
        0,
        0,
        0,
        nodes(all),
        Map.of(),
        List.of(),
        new PubSubStats(
            names(subscribers, Kind.CHANNEL),
            names(subscribers, Kind.PATTERN),
            names(subscribers, Kind.SHARD),
            0),
        Traffic.NONE,
        Map.of(),
        held,
        Pressure.NONE,
        reads,
        CrossSlotStats.NONE,
        shadow,
        mirror);
  }

  /** Returns statistics of nothing but the event loops. */
  public static ProxyStats ofLoops(List<LoopStats> loops) {
    return new ProxyStats(
        List.of(),
        0,
        0,
        0,
        0,
        List.of(),
        Map.of(),
        loops,
        PubSubStats.NONE,
        Traffic.NONE,
        Map.of(),
        HeldStats.NONE,
        Pressure.NONE,
        ReadCounts.NONE,
        CrossSlotStats.NONE,
        ShadowStats.NONE,
        MirrorStats.NONE);
  }

  /**
   * Lists only nodes with an open connection on some loop; subscriber connections count. The
   * statistics of their closed connections are added.
   */
  private static List<NodeStats> nodes(List<UpstreamFigures> figures) {
    Map<Endpoint, NodeStats> nodes = new LinkedHashMap<>();
    for (UpstreamFigures each : figures) {
      each.nodes().forEach(node -> nodes.merge(node.node(), node, NodeStats::plus));
    }
    for (UpstreamFigures each : figures) {
      each.closed()
          .forEach(past -> nodes.computeIfPresent(past.node(), (_, now) -> now.plus(past)));
    }
    return List.copyOf(nodes.values());
  }
}
