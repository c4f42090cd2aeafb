package io.penstock.core.replicas;

import io.penstock.core.observe.LogPrefix;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.topology.TestTopology;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A master and its replicas, whose answers a test sets, and the monitor that asks them. */
final class Group implements ReplicationSource {

  static final Endpoint MASTER = new Endpoint("m", 1);
  static final Endpoint R1 = new Endpoint("r", 1);
  static final Endpoint R2 = new Endpoint("r", 2);
  static final Duration ROUND = ReplicaMonitor.PERIOD;

  /** What a node answers. */
  static final class Node {
    boolean master;
    boolean linkUp = true;
    boolean syncing;
    String history = "h1";
    long offset = 1_000;
    String zone = "";
    String refusal = "";
    String failure = "";
    boolean frozen;
    long latencyNanos = 100_000;
    final List<CompletableFuture<ReplicationReport>> unanswered = new ArrayList<>();

    ReplicationReport report() {
      String role = master ? "role:master\r\n" : "role:slave\r\n";
      String link =
          "master_link_status:%s\r\nmaster_sync_in_progress:%d\r\nslave_repl_offset:%d\r\n"
              .formatted(linkUp ? "up" : "down", syncing ? 1 : 0, offset);
      String info =
          "# Replication\r\n%s%smaster_replid:%s\r\nmaster_repl_offset:%d\r\n"
              .formatted(role, master ? "" : link, history, offset);
      return ReplicationReport.parse(
          info, zone.isEmpty() ? null : zone, refusal.isEmpty() ? null : refusal, latencyNanos);
    }
  }

  final ManualThread thread = new ManualThread();
  final TestTopology topology =
      new TestTopology(new SinglePlacement(new Shard(MASTER, List.of(R1, R2), 1)));
  final Map<Endpoint, Node> nodes = new HashMap<>();
  final List<Endpoint> asked = new ArrayList<>();
  final ReplicaMonitor monitor;
  Set<Endpoint> kept = Set.of();
  int changes;

  Group(ReadSettings settings) {
    node(MASTER).master = true;
    monitor = new ReplicaMonitor(thread, this, topology, settings, LogPrefix.NONE);
  }

  Node node(Endpoint address) {
    return nodes.computeIfAbsent(address, _ -> new Node());
  }

  void start() {
    monitor.start(() -> changes++);
    thread.run();
  }

  void rounds(int count) {
    thread.advance(ROUND.multipliedBy(count));
  }

  void place(Endpoint master, Endpoint... replicas) {
    topology.map = new SinglePlacement(new Shard(master, List.of(replicas), 2));
    monitor.topologyChanged();
    thread.run();
  }

  /** Lets a frozen node answer what it was asked meanwhile. */
  void thaw(Endpoint address) {
    Node node = node(address);
    node.frozen = false;
    List<CompletableFuture<ReplicationReport>> queries = List.copyOf(node.unanswered);
    node.unanswered.clear();
    queries.forEach(query -> query.complete(node.report()));
    thread.run();
  }

  List<Endpoint> targets() {
    return monitor.current().of(topology.map.shards().getFirst());
  }

  @Override
  public CompletionStage<ReplicationReport> query(Endpoint address) {
    asked.add(address);
    Node node = node(address);
    if (node.frozen) {
      CompletableFuture<ReplicationReport> query = new CompletableFuture<>();
      node.unanswered.add(query);
      return query;
    }
    return node.failure.isEmpty()
        ? CompletableFuture.completedFuture(node.report())
        : CompletableFuture.failedFuture(new ConnectException(node.failure));
  }

  @Override
  public void keepOnly(Set<Endpoint> others) {
    kept = Set.copyOf(others);
  }
}
