package io.penstock.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.network.ReplicaLag;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SentinelGroupIT {

  @SuppressWarnings("NullAway.Init")
  private static SentinelGroup group;

  @BeforeAll
  static void startGroup() {
    group =
        SentinelGroup.builder()
            .masterName("orders")
            .downAfter(Duration.ofMillis(700))
            .user("bob", "p@ss")
            .sentinelUser("eve", "s3")
            .option("min-replicas-to-write", "0")
            .start();
  }

  @AfterAll
  static void stopGroup() {
    group.close();
  }

  @BeforeEach
  void isReady() {
    group.awaitReady();
  }

  @Test
  void hasAMasterTwoReplicasAndThreeSentinels() {
    assertThat(group.nodes()).hasSize(3).contains(group.master());
    assertThat(group.replicas()).hasSize(2).doesNotContain(group.master());
    assertThat(group.sentinels()).hasSize(3);
    assertThat(group.sentinels().getFirst().text("SENTINEL", "CKQUORUM", "orders"))
        .startsWith("OK 3 usable Sentinels");
  }

  @Test
  void promotesAReplicaAndTakesTheKilledMasterBack() {
    ServerProcess old = group.master();

    old.kill();
    ServerProcess promoted = group.awaitMasterOtherThan(old);
    group.restart(old);
    group.awaitReady();

    assertThat(group.master()).isEqualTo(promoted);
    assertThat(group.replicas()).hasSize(2).contains(old);
  }

  @Test
  void failsOverOnRequestAgainAndAgain() {
    for (int i = 0; i < 2; i++) {
      ServerProcess old = group.master();

      ServerProcess promoted = group.failover();

      assertThat(promoted).isNotEqualTo(old).isEqualTo(group.master());
    }
  }

  @Test
  void replacesAFrozenMaster() {
    ServerProcess old = group.master();

    old.pause();
    ServerProcess promoted = group.awaitMasterOtherThan(old);
    old.resume();
    group.awaitReady();

    assertThat(group.master()).isEqualTo(promoted);
  }

  @Test
  void needsAMajorityOfItsSentinels() {
    List<ServerProcess> sentinels = group.sentinels();
    ServerProcess master = group.master();
    sentinels.get(0).kill();
    sentinels.get(1).pause();

    assertThat(group.master()).isEqualTo(master);
    await()
        .untilAsserted(() ->
            assertThat(call(sentinels.get(2), "SENTINEL", "CKQUORUM", "orders"))
                .startsWith("-NOQUORUM"));
    sentinels.get(1).resume();
    group.restart(sentinels.get(0));
    group.awaitReady();
  }

  @Test
  void aReplicaLagsAndCatchesUp() {
    ServerProcess replica = group.replicas().getFirst();
    group.master().text("SET", "lag", "0");
    try (ReplicaLag lag = ReplicaLag.of(group, replica)) {
      await().until(() -> replica.text("GET", "lag").equals("0"));
      lag.begin();
      group.master().text("SET", "lag", "1");

      assertThat(group.master().text("WAIT", "1", "5000")).isEqualTo("1");
      assertThat(replica.text("GET", "lag")).isEqualTo("0");
      assertThat(replica.text("INFO", "replication")).contains("master_link_status:up");
      lag.end();
      assertThat(replica.text("GET", "lag")).isEqualTo("1");
    }
    group.awaitReady();
    assertThat(group.replicas()).contains(replica);
  }

  @Test
  void namesSentinelsAndCredentialsInTheResourceUrl() {
    assertThat(group.resource())
        .isEqualTo(
            "redis-sentinel://bob:p%40ss@%s/orders?sentinelUserName=eve&sentinelPassword=s3"
                .replace("%s", group.seeds()));
  }

  @Test
  void leavesNothingBehindEvenIfAServerIsPaused() {
    SentinelGroup shortLived = SentinelGroup.builder().replicas(0).sentinels(1).start();
    List<ServerProcess> servers = List.of(shortLived.master(), shortLived.sentinels().getFirst());
    servers.getFirst().pause();

    shortLived.close();

    assertThat(servers)
        .allSatisfy(server -> {
          assertThat(ProcessHandle.of(server.pid())).isEmpty();
          assertThat(server.folder()).doesNotExist();
        });
  }

  private static String call(ServerProcess server, String... command) {
    try (RespClient connection = server.connect()) {
      return connection.call(command);
    }
  }
}
