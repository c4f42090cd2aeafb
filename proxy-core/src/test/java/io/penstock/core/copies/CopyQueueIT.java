package io.penstock.core.copies;

import static io.penstock.core.copies.CopyTask.Result.DIFFERED;
import static io.penstock.core.copies.CopyTask.Result.DONE;
import static io.penstock.core.copies.CopyTask.Result.DROPPED;
import static io.penstock.core.copies.CopyTask.Result.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.copies.CopyRig.Outcome;
import io.penstock.core.copies.CopyRig.Repair;
import io.penstock.testkit.cluster.FrozenNode;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With a single server as the copy. */
class CopyQueueIT {

  private static final int WRITERS = 4;

  private ServerProcess server;

  @BeforeEach
  void start() {
    server =
        ServerProcess.builder().option("appendonly", "yes").option("appendfsync", "always").start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void theOrderOfEachWriterIsKept() throws Exception {
    int writes = 5_000;
    try (CopyRig rig = CopyRig.of(server)) {
      List<List<Outcome>> outcomes = write(rig, writes, true, () -> {});
      rig.awaitEmpty();

      outcomes.forEach(each -> assertThat(each).allMatch(outcome -> outcome.result() == DONE));
      for (int writer = 0; writer < WRITERS; writer++) {
        assertThat(list("list" + writer)).isEqualTo(numbers(writes));
      }
      assertThat(rig.queue.stats().done()).isEqualTo((long) WRITERS * writes);
      assertThat(rig.queue.stats().lagNanos()).isZero();
      assertThat(rig.queue.stats().queuedBytes()).isZero();
      assertThat(rig.queue.losses()).isZero();
      assertThat(rig.repairs()).isEmpty();
    }
  }

  @Test
  void nothingIsLostSilentlyWhenTheCopyCrashes() throws Exception {
    int writes = 20_000;
    try (CopyRig rig = CopyRig.of(server)) {
      List<List<Outcome>> outcomes = write(rig, writes, false, this::crashAfterSomeWrites);
      rig.awaitEmpty();

      Set<String> uncertain = new HashSet<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        List<String> copied = list("list" + writer);
        assertThat(copied.stream().map(Integer::parseInt).toList())
            .isSorted()
            .doesNotHaveDuplicates();
        Set<String> there = new HashSet<>(copied);
        for (int i = 0; i < writes; i++) {
          CopyTask.Result result = outcomes.get(writer).get(i).result();
          assertThat(result).isIn(DONE, UNKNOWN);
          if (result == UNKNOWN) {
            uncertain.add("list" + writer);
          } else {
            assertThat(there).contains(Integer.toString(i));
          }
        }
      }
      assertThat(uncertain).isNotEmpty();
      await()
          .untilAsserted(
              () -> assertThat(rig.repairs()).extracting(Repair::key).containsAll(uncertain));
      assertThat(rig.queue.losses()).isZero();
    }
  }

  private void crashAfterSomeWrites() {
    await()
        .until(
            () -> server.text("DBSIZE").equals("4") && !server.text("LLEN", "list0").equals("0"));
    server.kill();
    server.restart();
  }

  @Test
  void beyondTheLimitTasksAreDroppedAndTheCopyIsBehind() {
    try (CopyRig rig = CopyRig.of(server, Duration.ofSeconds(20), CopyRig.limits(100))) {
      assertThat(rig.result(Tasks.asIs("SET k 0", "+OK"))).isEqualTo(DONE);
      FrozenNode.freeze(server);
      List<Outcome> outcomes = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        outcomes.add(rig.offer(Tasks.asIs("SET k" + i + " v", "+OK")));
      }

      await().until(() -> outcomes.getLast().result() == DROPPED);
      assertThat(rig.queue.stats().queued()).isEqualTo(100);
      assertThat(rig.queue.stats().lagNanos()).isPositive();
      server.resume();
      rig.awaitEmpty();
      assertThat(outcomes.subList(0, 100)).allMatch(outcome -> outcome.result() == DONE);
      assertThat(outcomes.subList(100, 300)).allMatch(outcome -> outcome.result() == DROPPED);
      assertThat(rig.queue.stats().dropped()).isEqualTo(200);
      assertThat(rig.queue.losses()).isEqualTo(200);
      assertThat(rig.queue.stats().behindReason()).contains("queue was full");

      assertThat(rig.result(Tasks.asIs("SET k 1", "+OK"))).isEqualTo(DONE);
      assertThat(rig.queue.markLevel(199)).isFalse();
      assertThat(rig.queue.stats().behindSince()).isNotNull();
      assertThat(rig.queue.markLevel(200)).isTrue();
      assertThat(rig.queue.stats().behindSince()).isNull();
    }
  }

  @Test
  void aFrozenCopyIsCopiedAgainWhenItAnswers() {
    try (CopyRig rig = CopyRig.of(server, Duration.ofMillis(500), CopyRig.limits(1_000))) {
      assertThat(rig.result(Tasks.asIs("SET k 0", "+OK"))).isEqualTo(DONE);
      FrozenNode.freeze(server);
      Outcome sent = rig.offer(Tasks.asIs("SET k 1", "+OK"));
      await().until(() -> sent.result() == UNKNOWN);
      Outcome waiting = rig.offer(Tasks.asIs("SET other 1", "+OK"));
      assertThat(rig.repairs()).isEmpty();
      assertThat(waiting.result()).isNull();

      server.resume();
      await().until(() -> waiting.result() == DONE);
      assertThat(rig.awaitRepair().key()).isEqualTo("k");
    }
  }

  @Test
  void anotherReplyDiffers() {
    try (CopyRig rig = CopyRig.of(server)) {
      assertThat(rig.result(Tasks.asIs("SADD s a", ":1"))).isEqualTo(DONE);
      assertThat(rig.result(Tasks.asIs("SADD s a", ":1"))).isEqualTo(DIFFERED);
      assertThat(rig.queue.stats().differing()).containsEntry("SADD", 1L).hasSize(1);
      Repair asked = rig.awaitRepair();
      assertThat(asked.key()).isEqualTo("s");

      assertThat(rig.result(Tasks.asIs("LPUSH s a", ":1"))).isEqualTo(DIFFERED);
      asked.done().accept(true);
      Repair once = rig.awaitRepair(); // it differed after it was asked for
      once.done().accept(true);
      await().until(() -> rig.queue.stats().copiedAgain() == 2);
      assertThat(rig.repairs()).isEmpty();
      assertThat(rig.queue.losses()).isZero();
    }
  }

  @Test
  void thereIsALimitOfKeysToCopyAgain() {
    try (CopyRig rig = CopyRig.of(server)) {
      for (int i = 0; i < KeyRepairs.MOST_KEYS; i++) {
        rig.offer(Tasks.asIs("SADD s" + i + " a", ":0"));
      }
      rig.awaitEmpty();
      assertThat(rig.repairs()).as("asked for at a time").hasSize(64);
      assertThat(rig.queue.losses()).isZero();

      assertThat(rig.result(Tasks.asIs("SADD one-more a", ":0"))).isEqualTo(DIFFERED);
      assertThat(rig.queue.losses()).isEqualTo(1);
      assertThat(rig.queue.stats().behindReason()).contains("more than 10000 keys");
      rig.awaitRepair().done().accept(true);
      await().until(() -> rig.repairs().size() == 64);
    }
  }

  @Test
  void aDifferingWriteWithoutKeysLeavesTheCopyBehind() {
    try (CopyRig rig = CopyRig.of(server)) {
      assertThat(rig.result(Tasks.asIs("FUNCTION DELETE none", "+OK"))).isEqualTo(DIFFERED);
      assertThat(rig.queue.stats().behindReason()).contains("keys of a write are not known");
      assertThat(rig.queue.stats().differing()).containsEntry("FUNCTION DELETE", 1L);
    }
  }

  @Test
  void repliesOfResp3AreComparedWithThoseOfResp2() {
    try (CopyRig rig = CopyRig.of(server)) {
      assertThat(rig.result(Tasks.asIs("ZINCRBY z 1.5 m", ",1.5"))).isEqualTo(DONE);
      assertThat(rig.result(Tasks.asIs("ZADD z NX INCR 1 m", "_"))).isEqualTo(DONE);
      assertThat(rig.result(Tasks.asIs("GETSET k v", "_"))).isEqualTo(DONE);
      String large = "x".repeat(200_000);
      assertThat(rig.result(Tasks.asIs("GETSET k " + large, "$1\r\nv"))).isEqualTo(DONE);
      assertThat(rig.result(Tasks.asIs("GETSET k w", "$200000\r\n" + large))).isEqualTo(DONE);
      assertThat(rig.result(Tasks.asIs("GETSET k w", "$1\r\nv"))).isEqualTo(DIFFERED);
    }
  }

  @Test
  void aCopyThatIsNoMasterNowGetsAllLater() {
    try (CopyRig rig = CopyRig.of(server)) {
      server.text("REPLICAOF", "127.0.0.1", "1");
      List<Outcome> outcomes = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        outcomes.add(rig.offer(Tasks.asIs("RPUSH list0 " + i, ":" + (i + 1))));
      }
      await().until(() -> server.text("INFO", "errorstats").contains("READONLY"));
      assertThat(outcomes).allMatch(outcome -> outcome.result() == null);

      server.text("REPLICAOF", "NO", "ONE");
      rig.awaitEmpty();
      assertThat(outcomes).allMatch(outcome -> outcome.result() == DONE);
      assertThat(list("list0")).isEqualTo(numbers(100));
      assertThat(rig.queue.losses()).isZero();
    }
  }

  @Test
  void aCopyThatRefusesWritesIsBehind() {
    try (CopyRig rig = CopyRig.of(server)) {
      server.text("CONFIG", "SET", "maxmemory", "1");
      assertThat(rig.result(Tasks.asIs("SET k v", "+OK"))).isEqualTo(DIFFERED);
      assertThat(rig.queue.stats().behindReason()).contains("OOM command not allowed");
      assertThat(rig.repairs()).isEmpty();
      assertThat(rig.result(Tasks.instead(-1, "SET k v", "SADD s v"))).isEqualTo(DIFFERED);
      assertThat(rig.queue.losses()).isEqualTo(2);
    }
  }

  @Test
  void aKeyThatCannotBeCopiedIsLost() {
    try (CopyRig rig = CopyRig.of(server)) {
      rig.queue.offer(Tasks.asIs("SADD s a", ":0"), _ -> {});
      Repair asked = rig.awaitRepair();
      assertThat(rig.result(Tasks.instead(-1, "RESTORE s 0 dump REPLACE ABSTTL")))
          .isEqualTo(DIFFERED);
      asked.done().accept(false);

      await().until(() -> rig.queue.losses() == 1);
      assertThat(rig.queue.stats().behindReason()).contains("DUMP payload version or checksum");
      assertThat(rig.repairs()).isEmpty();
    }
  }

  @Test
  void transactionsAndDatabasesAreOrdered() {
    try (CopyRig rig = CopyRig.of(server)) {
      rig.offer(Tasks.instead(2, "RPUSH list0 0"));
      rig.offer(Tasks.instead(-1, "RPUSH list0 0", "SELECT 2", "RPUSH list0 1"));
      rig.offer(Tasks.instead(2, "RPUSH list0 2"));
      rig.offer(Tasks.instead(-1, "RPUSH list0 1", "RPUSH list0 2"));
      rig.offer(Tasks.instead(2, "RPUSH list0 3", "SELECT 0", "RPUSH list0 3"));
      rig.awaitEmpty();

      assertThat(list("list0")).isEqualTo(numbers(4));
      try (RespClient client = server.connect()) {
        client.text("SELECT", "2");
        assertThat(list(client, "list0")).isEqualTo(numbers(4));
      }
      assertThat(rig.queue.stats().done()).isEqualTo(5);

      assertThat(rig.result(Tasks.instead(-1, "SET k v", "LPUSH k v"))).isEqualTo(DIFFERED);
      assertThat(rig.result(Tasks.instead(-1, "SET k v", "RENAME none x"))).isEqualTo(DIFFERED);
      assertThat(rig.result(Tasks.instead(99, "SET k v"))).isEqualTo(DIFFERED);
    }
  }

  @Test
  void aClosedQueueDropsWhatWaits() {
    try (CopyRig rig = CopyRig.of(server)) {
      server.text("REPLICAOF", "127.0.0.1", "1");
      Outcome sent = rig.offer(Tasks.asIs("SET k 1", "+OK"));
      await().until(() -> server.text("INFO", "errorstats").contains("READONLY"));
      Outcome waiting = rig.offer(Tasks.asIs("SET k 2", "+OK"));

      rig.queue.close();
      await().until(() -> waiting.result() == DROPPED && sent.result() == DROPPED);
      assertThat(rig.result(Tasks.asIs("SET k 3", "+OK"))).isEqualTo(DROPPED);
      assertThat(rig.queue.stats().queued()).isZero();
      assertThat(rig.queue.losses()).isZero();
    }
  }

  /** Each of several threads adds its numbers to a list of its own. */
  private static List<List<Outcome>> write(
      CopyRig rig, int writes, boolean compare, Runnable meanwhile) throws InterruptedException {
    List<List<Outcome>> outcomes = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      List<Outcome> own = new ArrayList<>();
      outcomes.add(own);
      String call = "RPUSH list" + writer + " ";
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < writes; i++) {
                  own.add(rig.offer(Tasks.asIs(call + i, compare ? ":" + (i + 1) : null)));
                }
              }));
    }
    meanwhile.run();
    for (Thread thread : threads) {
      thread.join();
    }
    return outcomes;
  }

  private List<String> list(String key) {
    try (RespClient client = server.connect()) {
      return list(client, key);
    }
  }

  static List<String> list(RespClient client, String key) {
    List<String> elements = new ArrayList<>();
    for (Object element :
        (List<?>) java.util.Objects.requireNonNull(client.value("LRANGE", key, "0", "-1"))) {
      elements.add(new String((byte[]) element, java.nio.charset.StandardCharsets.US_ASCII));
    }
    return elements;
  }

  static List<String> numbers(int count) {
    List<String> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(Integer.toString(i));
    }
    return numbers;
  }
}
