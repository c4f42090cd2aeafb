package io.penstock.core.copies;

import static io.penstock.core.copies.CopyQueueIT.list;
import static io.penstock.core.copies.CopyQueueIT.numbers;
import static io.penstock.core.copies.CopyTask.Result.DIFFERED;
import static io.penstock.core.copies.CopyTask.Result.DONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.Slot;
import io.penstock.core.copies.CopyRig.Outcome;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SlotMigration;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** With a cluster of three masters as the copy. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterCopyIT {

  private EmbeddedCluster cluster;

  @BeforeAll
  void start() {
    cluster = EmbeddedCluster.builder().start();
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @BeforeEach
  void clear() {
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }

  @Test
  void tasksOverAllSlotsKeepTheirOrder() {
    int keys = 500;
    int rounds = 20;
    try (CopyRig rig = CopyRig.of(cluster)) {
      List<Outcome> outcomes = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        for (int key = 0; key < keys; key++) {
          outcomes.add(rig.offer(Tasks.asIs("RPUSH key" + key + " " + round, ":" + (round + 1))));
        }
      }
      rig.awaitEmpty();

      assertThat(outcomes).allMatch(outcome -> outcome.result() == DONE);
      for (int key = 0; key < keys; key++) {
        assertThat(elements("key" + key)).isEqualTo(numbers(rounds));
      }
    }
  }

  @Test
  void requestsOverSeveralSlotsAreSplitOrCopiedAgain() {
    try (CopyRig rig = CopyRig.of(cluster)) {
      assertThat(rig.result(Tasks.asIs("MSET a 1 b 2 c 3 d 4", "+OK"))).isEqualTo(DONE);
      assertThat(text("d")).isEqualTo("4");
      assertThat(rig.result(Tasks.asIs("DEL a b none", ":2"))).isEqualTo(DONE);
      assertThat(rig.result(Tasks.asIs("DEL c d", ":1"))).isEqualTo(DIFFERED);
      assertThat(rig.awaitRepair().key()).isEqualTo("c");
      assertThat(rig.awaitRepair().key()).isEqualTo("d");
      assertThat(rig.result(Tasks.instead(-1, "SET a 1", "SET b 1", "APPEND a 2"))).isEqualTo(DONE);
      assertThat(text("a")).isEqualTo("12");

      assertThat(rig.result(Tasks.asIs("SINTERSTORE x y z", ":0"))).isEqualTo(DIFFERED);
      assertThat(rig.queue.losses()).isZero();
      assertThat(rig.result(Tasks.instead(-1, "SET a 1", "SELECT 0", "SET a 1")))
          .isEqualTo(DIFFERED);
      assertThat(rig.queue.stats().done()).isEqualTo(3);
    }
  }

  @Test
  void requestsWithoutKeysAreOrderedWithAllOthers() {
    try (CopyRig rig = CopyRig.of(cluster)) {
      List<Outcome> outcomes = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        for (int key = 0; key < 100; key++) {
          outcomes.add(rig.offer(Tasks.asIs("RPUSH key" + key + " " + round, ":1")));
        }
        outcomes.add(rig.offer(Tasks.asIs("FLUSHALL", "+OK")));
      }
      outcomes.add(rig.offer(Tasks.instead(-1, "SET a 1", "SET b 1", "FLUSHALL", "SET c 1")));
      rig.awaitEmpty();

      assertThat(outcomes).allMatch(outcome -> outcome.result() == DONE);
      int keys = cluster.masters().stream().mapToInt(m -> Integer.parseInt(m.text("DBSIZE"))).sum();
      assertThat(keys).isEqualTo(1);
    }
  }

  @Test
  void aSlotThatMigratesKeepsTheOrder() {
    byte[] key = Wire.bytes("{moving}0");
    int slot = Slot.of(io.netty.buffer.Unpooled.wrappedBuffer(key), 0, key.length);
    Member from = cluster.masterOf(slot);
    Member to = cluster.masters().stream().filter(each -> each != from).findFirst().orElseThrow();
    int keys = 20;
    try (CopyRig rig = CopyRig.of(cluster)) {
      List<Outcome> outcomes = new ArrayList<>();
      int rounds = 0;
      SlotMigration migration = cluster.beginMigration(slot, from, to);
      boolean moving = true;
      while (moving) {
        for (int round = 0; round < 20; round++) {
          for (int i = 0; i < keys; i++) {
            String expected = ":" + (rounds + 1);
            outcomes.add(rig.offer(Tasks.asIs("RPUSH {moving}" + i + " " + rounds, expected)));
          }
          rounds++;
        }
        moving = migration.moveKeys(3) > 0;
      }
      migration.finish();
      rig.awaitEmpty();

      assertThat(outcomes).allMatch(outcome -> outcome.result() == DONE);
      for (int i = 0; i < keys; i++) {
        assertThat(elements("{moving}" + i)).isEqualTo(numbers(rounds));
      }
    }
    await().untilAsserted(() -> assertThat(cluster.masterOf(slot)).isEqualTo(to));
  }

  private String text(String key) {
    try (RespClient client = ownerOf(key).server().connect()) {
      return client.text("GET", key);
    }
  }

  private List<String> elements(String key) {
    try (RespClient client = ownerOf(key).server().connect()) {
      return list(client, key);
    }
  }

  private Member ownerOf(String key) {
    byte[] bytes = Wire.bytes(key);
    return cluster.masterOf(
        Slot.of(io.netty.buffer.Unpooled.wrappedBuffer(bytes), 0, bytes.length));
  }
}
