package io.penstock.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class EmbeddedClusterIT {

  private static final int SLOT = 0;
  private static final String KEY_IN_SLOT = "{06S}";

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @BeforeAll
  static void startCluster() {
    cluster =
        EmbeddedCluster.builder()
            .masters(3)
            .replicas(1)
            .nodeTimeout(Duration.ofSeconds(1))
            .user("bob", "p@ss w:,\"rd\\")
            .start();
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void hasTheMastersAndReplicasAskedFor() {
    assertThat(cluster.masters()).hasSize(3);
    assertThat(cluster.replicas()).hasSize(3);
    assertThat(cluster.masters())
        .allSatisfy(master -> assertThat(cluster.replicasOf(master)).hasSize(1));
  }

  @Test
  void migratesASlotWithItsKeys() {
    Member from = cluster.masterOf(SLOT);
    Member to = another(from);
    for (int i = 0; i < 250; i++) {
      from.text("SET", KEY_IN_SLOT + i, "value " + i);
    }

    cluster.migrateSlot(SLOT, from, to);

    assertThat(cluster.masterOf(SLOT)).isEqualTo(to);
    assertThat(to.text("CLUSTER", "COUNTKEYSINSLOT", "0")).isEqualTo("250");
    assertThat(to.text("GET", KEY_IN_SLOT + 249)).isEqualTo("value 249");
    cluster.migrateSlot(SLOT, to, from);
  }

  @Test
  void failsOverToALivingMastersReplica() {
    Member replica = cluster.replicasOf(cluster.masterOf(SLOT)).getFirst();

    cluster.failover(replica);

    assertThat(cluster.masterOf(SLOT)).isEqualTo(replica);
  }

  @Test
  void promotesAReplicaWhenItsMasterIsKilledAndTakesTheMasterBack() {
    Member master = cluster.masterOf(16_000);
    Member replica = cluster.replicasOf(master).getFirst();

    master.kill();
    cluster.awaitMaster(replica);
    master.restart();
    cluster.awaitHealthy();

    assertThat(cluster.replicasOf(replica)).containsExactly(master);
  }

  @Test
  void addsAMasterAndRemovesItOnceItsSlotsAreGone() {
    Member added = cluster.addMaster();
    Member owner = cluster.masterOf(8_000);
    cluster.migrateSlot(8_000, owner, added);
    assertThatIllegalStateException()
        .isThrownBy(() -> cluster.remove(added))
        .withMessageContaining("still owns [8000]");

    cluster.migrateSlot(8_000, added, owner);
    cluster.remove(added);

    assertThat(cluster.members()).hasSize(6).doesNotContain(added);
  }

  @Test
  void writesItsCredentialsIntoTheResourceUrl() {
    assertThat(cluster.resource())
        .startsWith("redis-cluster://bob:p%40ss%20w%3A%2C%22rd%5C@127.0.0.1:");
  }

  @Test
  void leavesNothingBehindWhenClosed() {
    EmbeddedCluster shortLived = EmbeddedCluster.builder().masters(1).start();
    Path folder = shortLived.members().getFirst().server().folder();
    long pid = shortLived.members().getFirst().server().pid();
    assertThat(folder).exists();

    shortLived.close();

    assertThat(Files.exists(folder)).isFalse();
    assertThat(ProcessHandle.of(pid)).isEmpty();
  }

  @Test
  void runsOnIpv6() {
    try (EmbeddedCluster six = EmbeddedCluster.builder().masters(1).host("::1").start()) {
      assertThat(six.resource()).startsWith("redis-cluster://@[::1]:");
    }
  }

  @Test
  void tellsTheServersLogWhenItDoesNotStart() {
    ServerProcess.Builder broken = ServerProcess.builder().option("no-such-directive", "yes");

    assertThatIllegalStateException()
        .isThrownBy(broken::start)
        .withMessageContaining("no-such-directive");
  }

  private static Member another(Member not) {
    List<Member> others = cluster.masters().stream().filter(m -> m != not).toList();
    return others.getFirst();
  }
}
