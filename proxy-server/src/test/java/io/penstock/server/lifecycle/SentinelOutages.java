package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.List;

/** Node-1 is the master, and node-2 takes over from it: node-3 may not. */
final class SentinelOutages extends OutageScript {

  private final SentinelGroup group;
  private final List<ServerProcess> sentinels;

  SentinelOutages(SentinelGroup group, RunningPenstock penstock, ScriptedLog log) {
    super(penstock, log);
    this.group = group;
    this.sentinels = group.sentinels();
  }

  @Override
  void run() {
    ServerProcess master = group.master();
    ServerProcess replica = group.replicas().getFirst();
    ServerProcess other = group.replicas().getLast();
    log.name(master.port(), "node-1");
    log.name(replica.port(), "node-2");
    log.name(other.port(), "node-3");
    for (int i = 0; i < sentinels.size(); i++) {
      log.name(sentinels.get(i).port(), "sentinel-" + (i + 1));
    }
    other.text("CONFIG", "SET", "replica-priority", "0");
    awaitAllServe();
    try (RespClient client = penstock.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      oneSentinel();
      twoSentinels();
      allSentinels(client);
      planned(replica, client);
      killed(replica, client);
      frozen(master, client);
      killedWithoutSentinels(replica, client);
    }
  }

  private void oneSentinel() {
    log.step("One sentinel of three is killed and comes back");
    sentinels.getFirst().kill();
    log.awaitLine("Some sentinels");
    awaitReadiness(200);
    group.restart(sentinels.getFirst());
    log.awaitLine("answer again");
    group.awaitReady();
  }

  private void twoSentinels() {
    log.step("Two sentinels of three are killed and come back");
    sentinels.get(0).kill();
    sentinels.get(1).kill();
    log.awaitLine("Too few sentinels");
    awaitReadiness(200);
    group.restart(sentinels.get(0));
    group.restart(sentinels.get(1));
    log.awaitLine("answer again");
    group.awaitReady();
  }

  private void allSentinels(RespClient client) {
    log.step("All sentinels are killed and come back, while the master serves");
    sentinels.forEach(ServerProcess::kill);
    log.awaitLine("WARN");
    assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    sentinels.forEach(group::restart);
    log.awaitLine("again");
    group.awaitReady();
  }

  private void planned(ServerProcess next, RespClient client) {
    log.step("A planned failover");
    assertThat(group.failover()).isEqualTo(next);
    log.awaitLine("Topology refreshed");
    assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
    awaitAllServe();
  }

  private void killed(ServerProcess master, RespClient client) {
    log.step("The master is killed, and a replica takes over");
    master.kill();
    awaitLoss(master.port());
    client.send("SET", "k", "v");
    log.awaitLine("failover hold started");
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLine("Failover: ");
    group.restart(master);
    group.awaitReady();
    awaitAllServe();
  }

  private void frozen(ServerProcess master, RespClient client) {
    log.step("The master hangs, and a replica takes over");
    master.pause();
    awaitError(client, "k");
    log.awaitLine("Failover: ");
    master.resume();
    group.awaitReady();
    awaitAllServe();
  }

  private void killedWithoutSentinels(ServerProcess master, RespClient client) {
    log.step("Two sentinels and the master are killed, and the sentinels come back");
    sentinels.get(0).kill();
    sentinels.get(1).kill();
    master.kill();
    awaitLoss(master.port());
    client.send("SET", "k", "v");
    log.awaitLine("failover hold started");
    log.awaitLine("Too few sentinels");
    awaitReadiness(503);
    group.restart(sentinels.get(0));
    group.restart(sentinels.get(1));
    assertThat(client.read()).isEqualTo("+OK\r\n");
    log.awaitLine("Failover: ");
    log.awaitLine("sentinels of mymaster answer again");
    group.restart(master);
    group.awaitReady();
    awaitAllServe();
  }
}
