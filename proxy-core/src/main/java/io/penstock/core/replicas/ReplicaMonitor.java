package io.penstock.core.replicas;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.control.Outage;
import io.penstock.core.control.Stages;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.ReadTargets;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.Topology;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which nodes may be read, and publishes them as {@link ReadTargets}. Queries each master
 * of the latest placement every {@link #PERIOD}, and its replicas when it has answered, or with the
 * next round if it does not.
 *
 * <p>A node is left out when an answer says so, when it cannot be connected to, or when it has left
 * a query unanswered at the start of two rounds. That takes less than a second, also for a frozen
 * node, and does not depend on how late a round is. It is back with the first answer in time.
 *
 * <p>Confined to the topology thread, except {@link #current} and {@link #status}.
 */
public final class ReplicaMonitor {

  /** Time between two rounds of queries. */
  static final Duration PERIOD = Duration.ofMillis(200);

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaMonitor.class);

  private final TopologyThread thread;
  private final ReplicationSource source;
  private final Topology topology;
  private final ReadSettings settings;
  private final TargetChoice choice;
  private final ReplicaLog log;
  private final Map<Endpoint, MonitoredNode> nodes = new HashMap<>();
  private final Map<Endpoint, List<Endpoint>> targets = new HashMap<>(); // by master
  private final Map<Endpoint, List<Shard>> shards = new HashMap<>(); // of each node
  private final Set<Endpoint> independent = new HashSet<>(); // masters; see hasIndependentReplicas
  private final Set<Endpoint> readMasters = new HashSet<>(); // see readsMaster
  private Runnable listener = () -> {};
  private Placement placement;
  private boolean changed;
  private boolean publishing;
  private boolean closed;
  private volatile ReadTargets current;
  private volatile List<ReplicaStatus> status = List.of();

  ReplicaMonitor(
      TopologyThread thread,
      ReplicationSource source,
      Topology topology,
      ReadSettings settings,
      LogPrefix prefix) {
    this.thread = thread;
    this.source = source;
    this.topology = topology;
    this.settings = settings;
    this.choice = new TargetChoice(settings);
    this.log = new ReplicaLog(prefix, settings, thread::nanoTime);
    this.placement = topology.current();
    this.current = new ReadTargets(Map.of(), settings.from().mayReadMaster());
  }

  /**
   * Creates a monitor. Sends nothing before {@link #start}.
   *
   * @param prefix what log lines begin with
   */
  public static ReplicaMonitor create(
      ControlPlane control, Topology topology, ReadSettings settings, LogPrefix prefix) {
    boolean asksForZones = settings.zones().own() != null;
    return new ReplicaMonitor(
        control.thread(),
        new LettuceReplicationSource(control, asksForZones),
        topology,
        settings,
        prefix);
  }

  /**
   * Starts to query nodes. Returns at once. Call once.
   *
   * @param onChange called after each change of {@link #current}, on the topology thread; must not
   *     block
   */
  public void start(Runnable onChange) {
    thread.execute(() -> {
      listener = onChange;
      changed = true;
      adoptPlacement();
      thread.runAfter(PERIOD, this::round);
    });
  }

  /** Returns the latest snapshot: one volatile read. Any thread. */
  public ReadTargets current() {
    return current;
  }

  /**
   * Returns the replicas of the topology, as they were in the latest round or when {@link #current}
   * last changed. Any thread.
   */
  public List<ReplicaStatus> status() {
    return status;
  }

  /** Queries new nodes at once and forgets removed ones. Any thread. */
  public void topologyChanged() {
    thread.execute(this::adoptPlacement);
  }

  /** Stops sending queries. Returns at once. */
  public void close() {
    thread.execute(() -> closed = true);
  }

  private void adoptPlacement() {
    if (closed) {
      return;
    }
    Placement before = placement;
    placement = topology.current();
    Set<Endpoint> present = placement.nodes();
    nodes.keySet().retainAll(present);
    source.keepOnly(present);
    log.keepOnly(present);
    changed |= targets.keySet().retainAll(Set.copyOf(placement.masters()));
    for (Endpoint master : before.masters()) {
      if (present.contains(master) && placement.indexOfMaster(master) < 0) {
        node(master).demoted();
      }
    }
    shards.clear();
    independent.clear();
    readMasters.clear();
    for (int i = 0; i < placement.shards().size(); i++) {
      Shard shard = placement.shards().get(i);
      if (placement.hasIndependentReplicas(i)) {
        independent.add(shard.master());
      }
      if (placement.readsMaster(i)) {
        readMasters.add(shard.master());
      }
      addTo(shard, shard.master());
      shard.replicas().forEach(replica -> addTo(shard, replica));
      judge(shard);
      ask(shard);
    }
    publish();
  }

  private void addTo(Shard shard, Endpoint node) {
    shards.computeIfAbsent(node, _ -> new ArrayList<>()).add(shard);
  }

  private void round() {
    if (closed) {
      return;
    }
    thread.runAfter(PERIOD, this::round);
    nodes.values().forEach(MonitoredNode::roundBegan);
    for (Shard shard : placement.shards()) {
      judge(shard);
      ask(shard);
    }
    publish();
  }

  /** Asks the master, or its replicas if the master has not answered since the last round. */
  private void ask(Shard shard) {
    MonitoredNode master = node(shard.master());
    if (!master.isWaiting()) {
      ask(master, null);
    } else if (master.isOverdue()) {
      askReplicas(shard);
    }
  }

  private void askReplicas(Shard shard) {
    for (Endpoint replica : shard.replicas()) {
      MonitoredNode node = node(replica);
      if (!node.isWaiting()) {
        ask(node, node(shard.master()));
      }
    }
  }

  private void ask(MonitoredNode node, @Nullable MonitoredNode master) {
    if (closed) {
      return;
    }
    node.asked(master);
    Stages.call(() -> source.query(node.node()))
        .whenComplete((report, failure) ->
            thread.execute(() -> {
              if (nodes.get(node.node()) == node) { // not removed meanwhile
                onAnswer(node, master, report, failure);
              }
            }));
  }

  private void onAnswer(
      MonitoredNode node,
      @Nullable MonitoredNode master,
      @Nullable ReplicationReport report,
      @Nullable Throwable failure) {
    boolean again =
        report == null
            ? node.failed(failure == null ? "" : Credentials.mask(Outage.reason(failure)))
            : node.answered(report);
    if (again) {
      ask(node, master);
      return;
    }
    for (Shard shard : shards.getOrDefault(node.node(), List.of())) {
      judge(shard);
      if (shard.master().equals(node.node())) {
        askReplicas(shard);
      }
    }
    publishSoon();
  }

  private MonitoredNode node(Endpoint node) {
    return nodes.computeIfAbsent(node, MonitoredNode::new);
  }

  private void judge(Shard shard) {
    MonitoredNode master = node(shard.master());
    List<MonitoredNode> replicas = new ArrayList<>();
    boolean isIndependent = independent.contains(shard.master());
    boolean allSettled = true;
    for (Endpoint replica : shard.replicas()) {
      MonitoredNode node = node(replica);
      replicas.add(node);
      node.judge(isIndependent, settings.maxLagBytes());
      if (isIndependent ? node.isKnown() : node.isSettled(master)) {
        log.judged(statusOf(node, shard));
      } else {
        allSettled = false;
      }
    }
    List<Endpoint> before = targets.getOrDefault(shard.master(), List.of());
    boolean readsMaster = readMasters.contains(shard.master());
    List<Endpoint> now = choice.choose(master, replicas, readsMaster, before);
    changed |= !now.equals(targets.put(shard.master(), now));
    if (now.isEmpty() && allSettled) {
      log.nothingReadable(shard);
    }
  }

  private static ReplicaStatus statusOf(MonitoredNode node, Shard shard) {
    return new ReplicaStatus(
        node.node(),
        shard.master(),
        node.state(),
        node.timesLeftOut(),
        node.lagBytes(),
        node.latencyNanos(),
        node.zone(),
        node.failure());
  }

  private List<ReplicaStatus> statusNow() {
    List<ReplicaStatus> all = new ArrayList<>();
    for (Shard shard : placement.shards()) {
      for (Endpoint replica : shard.replicas()) {
        all.add(statusOf(node(replica), shard));
      }
    }
    return List.copyOf(all);
  }

  /** Publishes once for all answers that have arrived. */
  private void publishSoon() {
    if (changed && !publishing) {
      publishing = true;
      thread.execute(() -> {
        publishing = false;
        publish();
      });
    }
  }

  /** Publishes the status, and the targets if they have changed. */
  private void publish() {
    if (closed) {
      return;
    }
    status = statusNow(); // never older than the targets
    if (!changed) {
      return;
    }
    changed = false;
    current = new ReadTargets(targets, settings.from().mayReadMaster());
    try {
      listener.run();
    } catch (Throwable e) {
      LOG.error("A listener of readable replicas failed", e);
    }
  }
}
