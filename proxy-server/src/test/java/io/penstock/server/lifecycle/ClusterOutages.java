package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.it.Keys;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import java.util.List;

/** Masters are A1, B1 and C1, their replicas A2, B2 and C2. */
final class ClusterOutages extends OutageScript {

  /** Longer than a machine with load stalls: a cluster elects no master that the script lacks. */
  private static final String NODE_TIMEOUT = "3000";

  private final EmbeddedCluster cluster;

  ClusterOutages(EmbeddedCluster cluster, RunningPenstock penstock, ScriptedLog log) {
    super(penstock, log);
    this.cluster = cluster;
  }

  static void nodeTimeout(Member member, String millis) {
    member.text("CONFIG", "SET", "cluster-node-timeout", millis);
  }

  @Override
  void run() {
    cluster.members().forEach(m -> nodeTimeout(m, NODE_TIMEOUT));
    cluster.members().forEach(m -> m.takesOver(true));
    List<Member> masters = cluster.masters();
    Member a1 = cluster.masterOf(0);
    Member b1 = cluster.masterOf(8_000);
    Member c1 = cluster.masterOf(16_383);
    assertThat(masters).containsExactlyInAnyOrder(a1, b1, c1);
    Member a2 = named(a1, "A");
    Member b2 = named(b1, "B");
    Member c2 = named(c1, "C");
    awaitAllServe();
    try (RespClient client = penstock.connect()) {
      use(client);
      killed(a1, client);
      planned(a1);
      replicaDies(a2);
      frozen(b1, client);
      back(b1, "B1 is master again by a planned failover");
      twoAtOnce(a1, b1, client);
      back(a1, "A1 is master again by a planned failover");
      back(b1, "B1 is master again by a planned failover, too");
      uncovered(c1, c2, client);
    }
    assertThat(List.of(a2, b2, c2)).allMatch(Member::isRunning);
  }

  private Member named(Member master, String shard) {
    Member replica = cluster.replicasOf(master).getFirst();
    log.name(master.port(), shard + "1");
    log.name(replica.port(), shard + "2");
    return replica;
  }

  /** Connects to all masters. */
  private void use(RespClient client) {
    for (String tag : Keys.tagsOfMasters(cluster)) {
      assertThat(client.call("SET", tag, "v")).isEqualTo("+OK\r\n");
    }
  }

  private void restart(Member... dead) {
    for (Member each : dead) {
      each.restart();
      nodeTimeout(each, NODE_TIMEOUT);
      each.takesOver(true);
    }
    cluster.awaitHealthy();
    awaitReadiness(200, "\"uncovered\":[]");
  }

  private void killed(Member master, RespClient client) {
    String key = Keys.tag(Keys.slotOf(cluster, master));
    log.step("A master is killed, and its replica takes over");
    master.kill();
    awaitLoss(master.port());
    client.send("SET", key, "v");
    log.awaitLine("failover hold started");
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLine("Failover: ");
    restart(master);
  }

  private void planned(Member replica) {
    back(replica, "A planned failover");
  }

  private void back(Member replica, String title) {
    log.step(title);
    cluster.failover(replica);
    log.awaitLine("Topology refreshed");
    awaitReadiness(200);
  }

  private void replicaDies(Member replica) {
    log.step("A replica is killed and comes back");
    cluster.members().forEach(m -> nodeTimeout(m, "60000")); // it stays in the topology
    replica.kill();
    log.awaitLine("does not answer");
    awaitReadiness(200);
    restart(replica);
    log.awaitLine("answers again");
    cluster.members().forEach(m -> nodeTimeout(m, NODE_TIMEOUT));
  }

  private void frozen(Member master, RespClient client) {
    String key = Keys.tag(Keys.slotOf(cluster, master));
    log.step("A master hangs, and its replica takes over");
    master.pause();
    awaitError(client, key);
    log.awaitLine("Failover: ");
    master.resume();
    cluster.awaitHealthy();
    awaitReadiness(200);
  }

  private void twoAtOnce(Member one, Member other, RespClient client) {
    String key = Keys.tag(Keys.slotOf(cluster, one));
    String otherKey = Keys.tag(Keys.slotOf(cluster, other));
    log.step("A second master is killed as soon as the first one is replaced");
    one.kill();
    awaitLoss(one.port());
    client.send("SET", key, "v");
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLine("Failover: ");
    other.kill();
    awaitLoss(other.port());
    client.send("SET", otherKey, "v");
    log.awaitLines("failover hold started", 2);
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLines("Failover: ", 2);
    restart(one, other);
  }

  private void uncovered(Member master, Member replica, RespClient client) {
    log.step("A master and its replica are killed at once: the cluster is down");
    replica.kill();
    master.kill();
    log.awaitLine("Master C1 of slots 10922-16383 does not answer");
    log.awaitLines("rejects requests", 2);
    awaitReadiness(503, "CLUSTERDOWN");
    restart(master);
    log.awaitLines("no longer rejects requests", 2);
    assertThat(client.call("SET", Keys.tag(Keys.slotOf(cluster, master)), "v"))
        .isEqualTo("+OK\r\n");
    restart(replica);
  }
}
