package io.penstock.core.survey;

import io.penstock.core.cluster.ShownSlots;
import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.LettucePinger;
import io.penstock.core.control.Outage;
import io.penstock.core.control.Pinger;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.UpstreamStatus;
import io.penstock.core.observe.UpstreamStatus.Gap;
import io.penstock.core.observe.UpstreamStatus.NodeStatus;
import io.penstock.core.observe.UpstreamStatus.Trouble;
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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether the nodes of the topology serve, also while no client sends requests: sends a
 * {@code PING} to each master and replica every {@link #PERIOD}, outside the data path, and asks
 * the masters of a cluster for its state.
 *
 * <p>Confined to the topology thread, except {@link #status}.
 */
public final class HealthCheck {

  /** Time between two checks of all nodes. Two may fail before the last answer is too old. */
  static final Duration PERIOD = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(HealthCheck.class);

  private final TopologyThread thread;
  private final Pinger pinger;
  private final Topology topology;
  private final ProxyEvents events;
  private final Instant started = Instant.now();
  private final Map<Endpoint, Result> results = new ConcurrentHashMap<>();
  private final Set<Endpoint> pinging = new HashSet<>();
  private volatile Instant lastFullCoverage = started; // when every slot last had an owner
  private boolean closed;

  /**
   * When something was last so.
   *
   * @param at the same by the thread's clock
   */
  private record Moment(Instant time, long at) {

    static boolean isFresh(@Nullable Moment last, long now) {
      return last != null && now - last.at <= UpstreamStatus.FRESH.toNanos();
    }
  }

  /** The result of the last checks of a node. */
  private record Result(
      @Nullable Moment answered, @Nullable Moment served, @Nullable Trouble trouble) {

    static final Result NONE = new Result(null, null, null);
  }

  HealthCheck(TopologyThread thread, Pinger pinger, Topology topology, ProxyEvents events) {
    this.thread = thread;
    this.pinger = pinger;
    this.topology = topology;
    this.events = events;
  }

  /** Creates a health check. Sends nothing before {@link #start}. */
  public static HealthCheck create(ControlPlane control, Topology topology, ProxyEvents events) {
    return new HealthCheck(control.thread(), new LettucePinger(control), topology, events);
  }

  /** Starts to send pings. Returns at once. Call once. */
  public void start() {
    thread.execute(this::check);
  }

  /** Pings new nodes at once and forgets removed ones. Any thread. */
  public void topologyChanged() {
    thread.execute(() -> {
      Set<Endpoint> nodes = nodes();
      results.keySet().retainAll(nodes);
      pinger.keepOnly(nodes);
      nodes.removeAll(results.keySet());
      ping(nodes);
    });
  }

  /** Stops sending pings. Returns at once. */
  public void close() {
    thread.execute(() -> closed = true);
  }

  private void check() {
    if (closed) {
      return;
    }
    thread.runAfter(PERIOD, this::check);
    if (topology.current().isFullyCovered()) {
      lastFullCoverage = Instant.now();
    }
    ping(nodes());
    publish();
  }

  private void publish() {
    try {
      events.healthChecked(status());
    } catch (Throwable e) {
      LOG.error("A listener of health checks failed", e);
    }
  }

  private Set<Endpoint> nodes() {
    return topology.current().nodes();
  }

  private void ping(Set<Endpoint> nodes) {
    for (Endpoint node : nodes) {
      if (!closed && pinging.add(node)) {
        Stages.call(() -> pinger.ping(node).thenCompose(_ -> clusterFailure(node)))
            .whenComplete((rejection, failure) ->
                thread.execute(() ->
                    onAnswer(node, failure == null ? rejection.orElse(null) : null, failure)));
      }
    }
  }

  private CompletionStage<Optional<String>> clusterFailure(Endpoint node) {
    return topology.isInCluster(node) && topology.current().indexOfMaster(node) >= 0
        ? pinger.clusterFailure(node)
        : CompletableFuture.completedFuture(Optional.empty());
  }

  private void onAnswer(Endpoint node, @Nullable String rejection, @Nullable Throwable failure) {
    pinging.remove(node);
    if (!nodes().contains(node)) {
      return;
    }
    Result before = results.getOrDefault(node, Result.NONE);
    Moment now = new Moment(Instant.now(), thread.nanoTime());
    Result result;
    if (failure != null) {
      var trouble = new Trouble(Outage.reason(failure), Outage.isErrorReply(failure));
      result = new Result(before.answered, before.served, trouble);
    } else if (rejection != null) {
      result = new Result(now, before.served, new Trouble(rejection, true));
    } else {
      result = new Result(now, now, null);
    }
    results.put(node, result);
    if (before == Result.NONE) {
      publish(); // the first result of a node: readiness must not wait for the next check
    }
  }

  /** Returns the status at this moment. Any thread. */
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
      if (map.partitioner().isInUse(first)
          && (shard == null || !Moment.isFresh(resultOf(shard.master()).served, now))) {
        gaps.add(gap(map, first, last));
      } else {
        covered += ShownSlots.last(map, last) - ShownSlots.first(map, first) + 1;
      }
      first = last + 1;
    }
    return new UpstreamStatus(map, covered, gaps, nodes);
  }

  private Result resultOf(Endpoint node) {
    return results.getOrDefault(node, Result.NONE);
  }

  private NodeStatus statusOf(Endpoint node, boolean master, long now) {
    Result last = resultOf(node);
    return new NodeStatus(
        node,
        master,
        Moment.isFresh(last.answered, now),
        Moment.isFresh(last.served, now),
        last.served == null ? null : last.served.time,
        last.trouble);
  }

  private Gap gap(Placement map, int first, int last) {
    int firstSlot = ShownSlots.first(map, first);
    int lastSlot = ShownSlots.last(map, last);
    Shard shard = map.shardOf(first);
    if (shard == null) {
      return new Gap(firstSlot, lastSlot, null, lastFullCoverage, null);
    }
    Result result = resultOf(shard.master());
    Instant since = result.served == null ? started : result.served.time;
    String reason = result.trouble == null ? null : result.trouble.reason();
    return new Gap(firstSlot, lastSlot, shard.master(), since, reason);
  }
}
