package io.penstock.core.resync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.State;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Comparisons of two real servers that store values in different ways. */
class CompareIT {

  private static final String FAR = "9000000000000";

  private final ServerProcess first =
      ServerProcess.builder()
          .option("hash-max-listpack-entries", "2")
          .option("zset-max-listpack-entries", "2")
          .option("set-max-intset-entries", "1")
          .option("stream-node-max-entries", "2")
          .option("list-max-listpack-size", "2")
          .start();
  private final ServerProcess second = ServerProcess.start();
  private final ResyncRig rig =
      new ResyncRig(group -> ResyncSide.of(group, first), group -> ResyncSide.of(group, second));

  @AfterEach
  void close() {
    rig.close();
    first.close();
    second.close();
  }

  private void onBoth(String... command) {
    first.text(command);
    second.text(command);
  }

  /** Writes the same keys of all types to both, in another order at the second. */
  private void fill() {
    onBoth("SET", "string", "v");
    onBoth("SET", "expiring", "v", "PXAT", FAR);
    onBoth("RPUSH", "list", "a", "b", "c", "d", "e");
    first.text("SADD", "set", "a", "b", "c", "1");
    second.text("SADD", "set", "1", "c", "b", "a");
    first.text("HSET", "hash", "a", "1", "b", "2", "c", "3");
    second.text("HSET", "hash", "c", "3", "b", "2", "a", "1");
    onBoth("ZADD", "zset", "0.1", "a", "3", "b", "-inf", "c", "1e300", "d");
    for (int i = 1; i < 6; i++) {
      onBoth("XADD", "stream", i + "-0", "f", "v" + i);
    }
    onBoth("XGROUP", "CREATE", "stream", "group", "0");
    onBoth("XREADGROUP", "GROUP", "group", "me", "COUNT", "2", "STREAMS", "stream", ">");
  }

  @Test
  void equalKeysAreEqualHoweverTheyAreStored() {
    fill();

    CopyJobStatus ended = rig.compare(0, false);

    assertThat(ended.state()).isEqualTo(State.ENDED);
    assertThat(ended.reason()).isNull();
    assertThat(ended.listed()).isEmpty();
    assertThat(ended.count("same")).isEqualTo(7);
    assertThat(ended.count("settled")).as("serialized in another way").isPositive();
    assertThat(rig.copied.get()).isZero();
  }

  @Test
  void eachKindOfDifferenceIsFoundAndRepaired() {
    fill();
    first.text("SET", "absent", "v");
    second.text("SET", "odd\n", "v");
    second.text("SET", "string", "w");
    second.text("LPUSH", "new", "w");
    first.text("SET", "new", "w");
    second.text("PEXPIREAT", "expiring", "9000000000001");
    second.text("LSET", "list", "2", "x");
    second.text("SADD", "set", "other");
    second.text("HSET", "hash", "b", "3");
    second.text("ZADD", "zset", "0.2", "a");
    second.text("XACK", "stream", "group", "1-0");

    CopyJobStatus ended = rig.compare(0, false);

    assertThat(ended.reason()).isEqualTo("10 keys differ");
    assertThat(ended.listed())
        .extracting(each -> "(" + each.name() + ", " + each.what() + ")")
        .containsExactlyInAnyOrder(
            "(absent, is missing at the copy)",
            "(odd\\x0a, is missing at the primary)",
            "(new, has another type)",
            "(expiring, or a field of it expires at another time)",
            "(string, has another value)",
            "(list, has another value)",
            "(set, has another value)",
            "(hash, has another value)",
            "(zset, has another value)",
            "(stream, has another value)");
    assertThat(ended.count("missing")).isEqualTo(1);
    assertThat(ended.count("extra")).isEqualTo(1);
    assertThat(ended.count("type")).isEqualTo(1);
    assertThat(ended.count("deadline")).isEqualTo(1);
    assertThat(ended.count("value")).isEqualTo(6);

    CopyJobStatus repaired = rig.compare(0, true);
    assertThat(repaired.count("repaired")).isEqualTo(10);
    assertThat(rig.compare(0, false).reason()).isNull();
    assertThat(rig.copy.contents(false)).isEqualTo(rig.primary.contents(false));
  }

  @Test
  void aDeadlineOfAFieldDiffers() {
    if (first.text("COMMAND", "INFO", "HPEXPIRETIME").equals("[null]")) {
      return;
    }
    fill();
    onBoth("HPEXPIREAT", "hash", FAR, "FIELDS", "1", "a");
    assertThat(rig.compare(0, false).reason()).isNull();
    second.text("HPEXPIREAT", "hash", "9000000000001", "FIELDS", "1", "a");

    CopyJobStatus ended = rig.compare(0, false);
    assertThat(ended.count("deadline")).isEqualTo(1);
  }

  @Test
  void writesMakeNothingDiffer() {
    for (int i = 0; i < 500; i++) {
      onBoth("SET", "key" + i, "v");
    }
    rig.jobs.compare(500, 0, false).join();
    for (int i = 0; rig.status().state().isActive(); i++) {
      rig.write("SET", "key" + i * 7 % 700, "new" + i);
      rig.write("RPUSH", "list" + i % 3, "v" + i);
      rig.write("INCR", "counter");
      rig.write("DEL", "key" + i * 11 % 700);
    }

    CopyJobStatus ended = rig.awaitEnd();
    assertThat(ended.reason()).as("%s", ended).isNull();
    assertThat(ended.count("differing")).isZero();
    assertThat(ended.count("same")).isGreaterThan(100);
  }

  @Test
  void aKeyThatChangesAtOneSideAllTheTimeIsChanging() {
    onBoth("SET", "steady", "v");
    rig.jobs.compare(500, 0, false).join();
    try (RespClient client = first.connect()) {
      for (int i = 0; rig.status().state().isActive(); i++) {
        client.text("SET", "counter", Integer.toString(i));
      }
    }
    CopyJobStatus ended = rig.awaitEnd();
    assertThat(ended.count("changing")).as("%s", ended).isEqualTo(1);
    assertThat(ended.count("differing")).isZero();
  }

  @Test
  void aSampleComparesSomeKeysOfEachSide() {
    BiConsumer<ServerProcess, String> fill =
        (server, prefix) -> {
          for (int i = 0; i < 500; i++) {
            server.text("SET", prefix + i, "v");
          }
        };
    List.of(first, second).forEach(each -> fill.accept(each, "key"));
    assertThat(rig.compare(50, false).keys()).isEqualTo(100);
    assertThat(rig.status().count("same")).isEqualTo(100);

    fill.accept(second, "extra");
    CopyJobStatus ended = rig.compare(100, false);
    assertThat(ended.count("extra")).isBetween(10L, 90L);
    assertThat(ended.reason()).contains("keys differ");
  }

  @Test
  void aKilledCopyPausesAComparison() {
    for (int i = 0; i < 1_000; i++) {
      first.text("SET", "key" + i, "v");
    }
    second.text("CONFIG", "SET", "save", "");
    rig.jobs.compare(500, 0, false).join();
    rig.await(each -> each.estimate() > 0);
    second.kill();
    rig.await(each -> each.state() == State.PAUSED);
    second.restart();
    rig.await(each -> each.state() == State.RUNNING);
    CopyJobStatus stopped = rig.jobs.stop().join();
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.count("unanswered")).isZero();
  }
}
