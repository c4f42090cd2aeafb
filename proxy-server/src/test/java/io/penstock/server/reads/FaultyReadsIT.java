package io.penstock.server.reads;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.ReadFrom;
import io.penstock.server.it.Keys;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.it.ReferenceServer;
import io.penstock.server.it.SharedCluster;
import io.penstock.server.it.SharedGroup;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.ReplicaLag;
import io.penstock.testkit.wire.RespClient;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reads keep their promises while nodes sleep, pause, fail and change their roles. */
@ExtendWith({SharedGroup.class, SharedCluster.class})
class FaultyReadsIT {

  private static final String PAUSE_MILLIS = "600";

  /** Much longer than a frozen replica is read. */
  private static final String SLEEP_SECONDS = "10";

  @BeforeEach
  void assumeReadOnlyScripts() {
    ReferenceServer.assumeAtLeast(7, 0, "EVAL_RO");
  }

  @Test
  void readsKeepTheirPromisesBehindSentinel(SentinelGroup group) {
    group.tolerateSilentMasters();
    try (var reads =
        new ReadsUnderFault(() -> ProxyFixture.of(group), List.of("a", "b", "c", "d"))) {
      ServerProcess lagging = group.replicas().getFirst();
      try (ReplicaLag lag = ReplicaLag.of(group, lagging)) {
        reads.awaitReplicas(ReadsUnderFault::isReadable);
        lag.begin();
        reads.awaitBatches(500);
        lag.end();
        lag.begin();
        ServerProcess other = group.replicas().getLast();
        reads.during(() -> freeze(reads, other));
        lag.end();
      }
      reads.awaitReplicas(ReadsUnderFault::isReadable);
      pauseClients(reads, group.master());
      ServerProcess replica = group.replicas().getLast();
      reads.during(() -> {
        replica.kill();
        reads.awaitLeftOut(replica.port());
        reads.awaitBatches(200);
        group.restart(replica);
        group.awaitReady();
      });
      reads.during(() -> sleep(reads, replica));
      reads.duringLoss(group::failover);
      reads.awaitBatches(200);
      reads.duringLoss(() -> {
        ServerProcess master = group.master();
        group.replaceSilentMasters();
        master.kill();
        group.awaitMasterOtherThan(master);
        group.restart(master);
        group.awaitReady();
      });
      reads.awaitBatches(200);

      assertThat(reads.stop()).isEmpty();
    } finally {
      group.replaceSilentMasters();
    }
  }

  @Test
  void readsKeepTheirPromisesInACluster(EmbeddedCluster cluster) {
    cluster.awaitHealthy();
    int slot = Keys.slotsOfMasters(cluster).getFirst();
    int other = Keys.slotsOfMasters(cluster).getLast();
    List<String> tags =
        List.of(Keys.tag(slot), Keys.tag(slot + 1), Keys.tag(slot), Keys.tag(other));
    try (var reads = new ReadsUnderFault(() -> ProxyFixture.of(cluster), tags)) {
      reads.awaitBatches(300);
      pauseClients(reads, cluster.masterOf(slot).server());
      Member replica = cluster.replicasOf(cluster.masterOf(slot)).getFirst();
      reads.during(() -> freeze(reads, replica.server()));
      reads.during(() -> sleep(reads, replica.server()));
      reads.during(() -> {
        replica.kill();
        reads.awaitLeftOut(replica.port());
        reads.awaitBatches(200);
        replica.restart();
        cluster.awaitHealthy();
      });
      reads.during(() -> cluster.failover(replica));
      reads.awaitBatches(300);
      Member master = cluster.masterOf(slot);
      Member successor = cluster.replicasOf(master).getFirst();
      reads.duringLoss(
          () -> {
            master.kill();
            cluster.awaitMaster(successor);
          },
          () -> {
            master.restart();
            cluster.awaitHealthy();
            reads.awaitReadable(master.port());
          });
      long followed = System.nanoTime();
      reads.awaitBatches(300);

      assertThat(reads.stop()).isEmpty();
      assertThat(reads.readsAt(master.port(), ReadFrom.REPLICA_PREFERRED, followed))
          .as("reads from the former master, now a replica")
          .isPositive();
    } finally {
      Keys.empty(cluster, slot);
      Keys.empty(cluster, other);
    }
  }

  /** The master answers late: what writes, then everything. */
  private static void pauseClients(ReadsUnderFault reads, ServerProcess master) {
    reads.during(() -> {
      master.text("CLIENT", "PAUSE", PAUSE_MILLIS, "WRITE");
      reads.awaitBatches(200);
    });
    reads.during(() -> {
      master.text("CLIENT", "PAUSE", PAUSE_MILLIS, "ALL");
      reads.awaitBatches(200);
    });
  }

  /** A replica answers nothing, reads nothing from its master, and wakes up by itself. */
  private static void sleep(ReadsUnderFault reads, ServerProcess replica) {
    try (RespClient sleeper = replica.connect()) {
      sleeper.send("DEBUG", "SLEEP", SLEEP_SECONDS);
      reads.awaitLeftOut(replica.port());
      reads.awaitBatches(100);
      assertThat(sleeper.available()).as("clients go on while it sleeps").isZero();
      assertThat(sleeper.read()).isEqualTo("+OK\r\n");
    }
  }

  /** A replica is stopped until it is noticed. */
  private static void freeze(ReadsUnderFault reads, ServerProcess replica) {
    replica.pause();
    try {
      reads.awaitLeftOut(replica.port());
      reads.awaitBatches(200);
    } finally {
      replica.resume();
    }
  }
}
