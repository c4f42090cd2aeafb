package io.penstock.core.survey;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.Outage;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.Gap;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.Topology;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the nodes that the topology names answer, also when no client asks for anything: each
 * master and replica gets a {@code PING} every {@link #PERIOD}, aside of the data path.
 *
 * <p>Confined to the topology thread but for {@link #status}.
 */
public final class HealthCheck {

  /** Between two looks at all nodes; two may fail before an answer is too old. */
  static final Duration PERIOD = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(HealthCheck.class);

  private final TopologyThread thread;
  private final Pinger pinger;
  private final Topology topology;
  private final ProxyEvents events;
  private final Instant started = Instant.now();
  private final Map<Endpoint, Seen> seen = new ConcurrentHashMap<>();
  private final Set<Endpoint> asking = new HashSet<>();
  private volatile Instant unowned = started; // since when slots have had no owner, if so
  private boolean closed;

  /**
   * What was last heard of a node.
   *
   * @param at of the last answer, by the thread's clock; no matter before the first
   */
  private record Seen(@Nullable Instant lastAnswer, long at, @Nullable String failure) {

    static final Seen NOTHING = new Seen(null, 0, null);

    boolean isFresh(long now) {
      return lastAnswer != null && now - at <= UpstreamStatus.FRESH.toNanos();
    }
  }

  HealthCheck(TopologyThread thread, Pinger pinger, Topology topology, ProxyEvents events) {
    this.thread = thread;
    this.pinger = pinger;
    this.topology = topology;
    this.events = events;
  }

  /** Makes one that has not asked anybody yet. */
  public static HealthCheck create(ControlPlane control, Topology topology, ProxyEvents events) {
    return new HealthCheck(control.thread(), new LettucePinger(control), topology, events);
  }

  /** Begins to ask; returns at once. Call once. */
  public void start() {
    thread.execute(this::look);
  }

  /** Asks nodes that have come at once, forgets those that have gone. Any thread. */
  public void topologyChanged() {
    thread.execute(() -> {
      Set<Endpoint> nodes = nodes();
      seen.keySet().retainAll(nodes);
      pinger.keepOnly(nodes);
      nodes.removeAll(seen.keySet());
      ask(nodes);
    });
  }

  /** Asks nobody any more; returns at once. */
  public void close() {
    thread.execute(() -> closed = true);
  }

  private void look() {
    if (closed) {
      return;
    }
    thread.runAfter(PERIOD, this::look);
    if (topology.current().isFullyCovered()) {
      unowned = Instant.now();
    }
    ask(nodes());
    tell();
  }

  private void tell() {
    try {
      events.healthChecked(status());
    } catch (Throwable e) {
      LOG.error("A listener failed on the nodes' health", e);
    }
  }

  private Set<Endpoint> nodes() {
    return topology.current().nodes();
  }

  private void ask(Set<Endpoint> nodes) {
    for (Endpoint node : nodes) {
      if (!closed && asking.add(node)) {
        Stages.call(() -> pinger.ping(node).thenApply(_ -> node))
            .whenComplete((_, failure) -> thread.execute(() -> answered(node, failure)));
      }
    }
  }

  private void answered(Endpoint node, @Nullable Throwable failure) {
    asking.remove(node);
    if (!nodes().contains(node)) {
      return;
    }
    Seen before = seen.getOrDefault(node, Seen.NOTHING);
    seen.put(
        node,
        failure == null
            ? new Seen(Instant.now(), thread.nanoTime(), null)
            : new Seen(before.lastAnswer, before.at, Outage.reason(failure)));
    if (before == Seen.NOTHING) {
      tell(); // who waits for the start need not wait for the next look
    }
  }

  /** What holds now. Any thread. */
  public UpstreamStatus status() {
    Placement map = topology.current();
    long now = thread.nanoTime();
    List<NodeStatus> nodes = new ArrayList<>();
    for (Shard shard : map.shards()) {
      nodes.add(statusOf(shard.master(), true, now));
      for (Endpoint replica : shard.replicas()) {
        nodes.add(statusOf(replica, false, now));
      }
    }
    List<Gap> gaps = new ArrayList<>();
    int covered = 0;
    for (int first = 0; first < map.partitions(); ) {
      int last = map.endOfRun(first);
      Shard shard = map.shardOf(first);
      if (shard == null || !seenOf(shard.master()).isFresh(now)) {
        gaps.add(gap(map, first, last));
      } else {
        covered += ShownSlots.last(map, last) - ShownSlots.first(map, first) + 1;
      }
      first = last + 1;
    }
    return new UpstreamStatus(map, covered, gaps, nodes);
  }

  private Seen seenOf(Endpoint node) {
    return seen.getOrDefault(node, Seen.NOTHING);
  }

  private NodeStatus statusOf(Endpoint node, boolean master, long now) {
    Seen last = seenOf(node);
    return new NodeStatus(node, master, last.isFresh(now), last.lastAnswer, last.failure);
  }

  private Gap gap(Placement map, int first, int last) {
    int firstSlot = ShownSlots.first(map, first);
    int lastSlot = ShownSlots.last(map, last);
    Shard shard = map.shardOf(first);
    if (shard == null) {
      return new Gap(firstSlot, lastSlot, null, unowned, null);
    }
    Seen heard = seenOf(shard.master());
    Instant since = heard.lastAnswer == null ? started : heard.lastAnswer;
    return new Gap(firstSlot, lastSlot, shard.master(), since, heard.failure);
  }
}
