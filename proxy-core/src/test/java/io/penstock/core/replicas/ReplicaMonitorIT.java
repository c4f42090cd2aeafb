package io.penstock.core.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.control.ControlPlane;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ReplicaState;
import io.penstock.core.observe.ReplicaStatus;
import io.penstock.core.topology.TestTopology;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.Zones;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Against a master and two replicas, through Lettuce. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplicaMonitorIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long MAX_LAG = 100_000;

  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<ReplicaMonitor> monitors = new ArrayList<>();
  private final ControlPlane control = ControlPlane.create(Duration.ofSeconds(1));

  @BeforeAll
  void startServers() {
    ServerProcess master =
        ServerProcess.builder()
            .option("repl-diskless-sync", "yes")
            .option("repl-diskless-sync-delay", "0")
            .start();
    servers.add(master);
    for (int i = 0; i < 2; i++) {
      servers.add(
          ServerProcess.builder()
              .option("replicaof", master.host(), Integer.toString(master.port()))
              .start());
    }
  }

  @AfterAll
  void stopServers() {
    servers.forEach(ServerProcess::close);
    var closed = control.close().toCompletableFuture();
    await().until(closed::isDone);
  }

  /** Each test begins and ends with two good replicas. */
  @BeforeEach
  void awaitGoodReplicas() {
    ReplicaMonitor monitor = monitor(ReadFrom.REPLICA);
    awaitTargets(monitor, first(), second());
  }

  @AfterEach
  void resumeServersAndCloseMonitors() {
    servers.stream().filter(ServerProcess::isRunning).forEach(ServerProcess::resume);
    monitors.forEach(ReplicaMonitor::close);
    monitors.clear();
  }

  @Test
  void a_dead_replica_leaves_and_returns_by_itself() {
    ReplicaMonitor monitor = monitors.getFirst();

    first().kill();
    awaitTargets(monitor, second());
    awaitState(monitor, first(), ReplicaState.UNREACHABLE);
    first().restart();

    awaitTargets(monitor, first(), second());
  }

  @Test
  void a_frozen_replica_leaves_and_returns_by_itself() {
    ReplicaMonitor monitor = monitors.getFirst();

    second().pause();
    awaitTargets(monitor, first());
    second().resume();

    awaitTargets(monitor, first(), second());
  }

  @Test
  void a_frozen_master_is_replaced_by_its_replicas() {
    ReplicaMonitor monitor = monitor(ReadFrom.MASTER_PREFERRED);
    awaitTargets(monitor, master());
    await().atMost(PATIENCE).until(() -> status(monitor, first()).lagBytes() >= 0);

    master().pause();
    awaitTargets(monitor, first(), second());
    master().resume();

    awaitTargets(monitor, master());
  }

  @Test
  void a_detached_replica_leaves_until_it_follows_again() {
    ReplicaMonitor monitor = monitors.getFirst();

    first().text("REPLICAOF", "NO", "ONE");
    awaitTargets(monitor, second());
    awaitState(monitor, first(), ReplicaState.OTHER_DATA);
    follow(first(), master().host(), master().port());

    awaitTargets(monitor, first(), second());
  }

  @Test
  void a_replica_without_a_link_leaves_until_it_is_up() {
    ReplicaMonitor monitor = monitors.getFirst();

    follow(second(), "127.0.0.1", 1);
    awaitTargets(monitor, first());
    awaitState(monitor, second(), ReplicaState.LINK_DOWN);
    follow(second(), master().host(), master().port());

    awaitTargets(monitor, first(), second());
  }

  @Test
  void a_lagging_replica_leaves_until_it_has_caught_up() {
    ReplicaMonitor monitor = monitors.getFirst();
    try (Relay relay = Relay.to(master().host(), master().port())) {
      follow(first(), "127.0.0.1", relay.port());
      await()
          .atMost(PATIENCE)
          .until(() -> first().text("INFO", "replication").contains("master_link_status:up"));
      awaitTargets(monitor, first(), second()); // another address, the same data

      relay.holdBack();
      for (int i = 0; i < 20; i++) {
        master().text("SET", "key" + i, "x".repeat(10_000));
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            ReplicaStatus lagging = status(monitor, first());
            assertThat(lagging.state()).as("%s", lagging).isEqualTo(ReplicaState.LAG);
            assertThat(lagging.lagBytes()).as("%s", lagging).isGreaterThan(MAX_LAG);
          });
      awaitTargets(monitor, second());
      relay.release();

      awaitTargets(monitor, first(), second());
    } finally {
      follow(first(), master().host(), master().port());
    }
  }

  @Test
  void a_replica_that_rejects_the_query_leaves() {
    ReplicaMonitor monitor = monitors.getFirst();

    first().text("ACL", "SETUSER", "default", "-info");
    awaitTargets(monitor, second());
    await().atMost(PATIENCE).until(() -> status(monitor, first()).failure() != null);
    assertThat(status(monitor, first()).failure()).contains("NOPERM");
    first().text("ACL", "SETUSER", "default", "+info");

    awaitTargets(monitor, first(), second());
  }

  private ReplicaMonitor monitor(ReadFrom from) {
    var topology =
        new TestTopology(
            new SinglePlacement(
                new Shard(node(master()), List.of(node(first()), node(second())), 0)));
    var settings =
        new ReadSettings(
            from, Balance.ROUND_ROBIN, new Zones("none", Map.of()), MAX_LAG, Duration.ZERO, false);
    ReplicaMonitor monitor = ReplicaMonitor.create(control, topology, settings, LogPrefix.NONE);
    monitors.add(monitor);
    monitor.start(() -> {});
    return monitor;
  }

  private static void follow(ServerProcess replica, String host, int port) {
    replica.text("REPLICAOF", host, Integer.toString(port));
  }

  private void awaitTargets(ReplicaMonitor monitor, ServerProcess... expected) {
    List<Endpoint> nodes = List.of(expected).stream().map(ReplicaMonitorIT::node).toList();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(monitor.current().byMaster().get(node(master()))).isEqualTo(nodes));
  }

  private static void awaitState(
      ReplicaMonitor monitor, ServerProcess replica, ReplicaState expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(status(monitor, replica).state()).isEqualTo(expected));
  }

  private static ReplicaStatus status(ReplicaMonitor monitor, ServerProcess replica) {
    return monitor.status().stream()
        .filter(each -> each.node().equals(node(replica)))
        .findFirst()
        .orElseThrow();
  }

  private ServerProcess master() {
    return servers.getFirst();
  }

  private ServerProcess first() {
    return servers.get(1);
  }

  private ServerProcess second() {
    return servers.get(2);
  }

  private static Endpoint node(ServerProcess server) {
    return new Endpoint(server.host(), server.port());
  }
}
