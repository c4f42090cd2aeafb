package io.penstock.core.resync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.State;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Resyncs of real servers. */
class ResyncIT {

  private final List<AutoCloseable> open = new ArrayList<>();

  private <T extends AutoCloseable> T opened(T resource) {
    open.addFirst(resource);
    return resource;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
  }

  private ServerProcess server(String... option) {
    var builder = ServerProcess.builder();
    if (option.length > 0) {
      builder.option(option[0], option[1]);
    }
    return opened(builder.start());
  }

  private ResyncRig rig(ServerProcess primary, ServerProcess copy) {
    return opened(
        new ResyncRig(group -> ResyncSide.of(group, primary), group -> ResyncSide.of(group, copy)));
  }

  private static boolean knowsDeadlinesOfFields(ServerProcess server) {
    return !server.text("COMMAND", "INFO", "HPEXPIRETIME").equals("[null]");
  }

  /** Writes keys of all types. Returns whether fields may expire. */
  private static boolean fill(ServerProcess server, ResyncSide to) {
    for (int i = 0; i < 300; i++) {
      to.write("SET", "string" + i, "value" + i);
      to.write("SET", "expiring" + i, "value", "PXAT", Long.toString(9_000_000_000_000L + i));
    }
    boolean fields = knowsDeadlinesOfFields(server);
    for (int i = 0; i < 40; i++) {
      to.write("RPUSH", "list" + i, "a", "b", "a" + i);
      to.write("SADD", "ints" + i, "1", "2", "3");
      for (int member = 0; member < 200; member++) {
        to.write("SADD", "set" + i, "member" + member);
        to.write("HSET", "hash" + i, "field" + member, "value" + member);
        to.write("ZADD", "zset" + i, Double.toString(member / 7.0), "member" + member);
      }
      if (fields) {
        to.write("HPEXPIREAT", "hash" + i, "9000000000000", "FIELDS", "1", "field7");
      }
      to.write("XADD", "stream" + i, "1-1", "f", "v");
      to.write("XADD", "stream" + i, "2-1", "f", "w");
      String stream = "stream" + i;
      to.writeTo(stream, "XGROUP", "CREATE", stream, "group", "0");
      to.writeTo(
          stream, "XREADGROUP", "GROUP", "group", "me", "COUNT", "1", "STREAMS", stream, ">");
      to.write("XDEL", "stream" + i, "2-1");
      to.write("PFADD", "log" + i, "a", "b");
    }
    return fields;
  }

  private static void assertLevel(ResyncRig rig, CopyJobStatus ended, boolean fields) {
    assertThat(ended.state()).as("%s", ended).isEqualTo(State.ENDED);
    assertThat(ended.reason()).isNull();
    assertThat(ended.level()).isTrue();
    assertThat(ended.listed()).isEmpty();
    assertThat(rig.level).isTrue();
    assertThat(rig.copy.contents(fields)).isEqualTo(rig.primary.contents(fields));
  }

  @Test
  void bothServersAreEqualKeyByKey() {
    ServerProcess first = server("set-max-intset-entries", "2");
    ServerProcess second = server("hash-max-listpack-entries", "2");
    ResyncRig rig = rig(first, second);
    boolean fields = fill(first, rig.primary);
    try (RespClient client = first.connect()) {
      client.value("SELECT", "3");
      client.value("SET", "other", "database");
      client.value(
          "FUNCTION",
          "LOAD",
          "#!lua name=a\nredis.register_function('f', function() return 1 end)");
    }
    try (RespClient client = second.connect()) {
      client.value("SET", "extra", "v");
      client.value("LPUSH", "string1", "another type");
      client.value("SET", "string2", "v", "EX", "1000");
      client.value(
          "FUNCTION",
          "LOAD",
          "#!lua name=b\nredis.register_function('g', function() return 1 end)");
      client.value("SELECT", "3");
      client.value("SET", "extra", "v");
    }

    CopyJobStatus ended = rig.resync();

    assertLevel(rig, ended, fields);
    assertThat(rig.primary.contents(fields)).containsKey("3:other").hasSizeGreaterThan(700);
    assertThat(ended.count("removed")).isEqualTo(2);
    assertThat(rig.compare(0, false).reason()).isNull();
    assertThat(rig.status().count("same")).isGreaterThan(700);
  }

  @Test
  void aClusterIsCopiedToAServerAndBack() {
    EmbeddedCluster cluster = opened(EmbeddedCluster.builder().masters(3).start());
    ServerProcess server = server();
    ResyncRig there =
        opened(
            new ResyncRig(
                group -> ResyncSide.of(group, cluster), group -> ResyncSide.of(group, server)));
    boolean fields = fill(server, there.primary);
    server.text("SET", "extra", "v");
    assertLevel(there, there.resync(), fields);
    assertThat(there.compare(0, false).reason()).isNull();

    ResyncRig back =
        opened(
            new ResyncRig(
                group -> ResyncSide.of(group, server), group -> ResyncSide.of(group, cluster)));
    server.text("SET", "added", "v");
    server.text("DEL", "string1", "set1", "list1");
    assertLevel(back, back.resync(), fields);
    assertThat(back.status().count("removed")).isEqualTo(3);
  }

  @Test
  void bothAreEqualAfterwardsWhileClientsWrite() throws Exception {
    ServerProcess first = server();
    ServerProcess second = server();
    ResyncRig rig = rig(first, second);
    for (int i = 0; i < 3_000; i++) {
      first.text("SET", "key" + i, "v");
    }
    rig.jobs.resync(3_000, true).join();
    for (int i = 0; rig.status().state().isActive(); i++) {
      rig.write("SET", "key" + i * 7 % 4_000, "new" + i);
      rig.write("RPUSH", "list" + i % 10, "v" + i);
      rig.write("DEL", "key" + i * 11 % 4_000);
    }

    assertLevel(rig, rig.awaitEnd(), false);
  }

  @Test
  void aThrottleIsKept() {
    ServerProcess first = server();
    for (int i = 0; i < 300; i++) {
      first.text("SET", "key" + i, "v");
    }
    ResyncRig rig = rig(first, server());
    long begun = System.nanoTime();
    rig.jobs.resync(200, true).join();
    CopyJobStatus running = rig.await(each -> each.keys() >= 100);
    CopyJobStatus ended = rig.awaitEnd();
    double seconds = (System.nanoTime() - begun) / 1e9;

    assertThat(seconds).isBetween(2.8, 8.0); // the 300 keys of each side
    assertThat(running.estimate()).isEqualTo(600);
    assertThat(running.keysPerSecond()).isEqualTo(200);
    assertThat(ended.keys()).isEqualTo(600);
  }

  @Test
  void aStoppedResyncGoesOnWhereItWas() {
    ServerProcess first = server();
    for (int i = 0; i < 2_000; i++) {
      first.text("SET", "key" + i, "v");
    }
    ResyncRig rig = rig(first, server());
    rig.jobs.resync(1_000, true).join();
    rig.await(each -> each.keys() > 500);
    assertRefused(() -> rig.jobs.resync(1_000, true).join(), "already running");
    assertRefused(() -> rig.jobs.compare(1_000, 0, false).join(), "a resync of this copy");
    CopyJobStatus stopped = rig.jobs.stop().join();
    assertThat(stopped.state()).isEqualTo(State.STOPPED);
    assertThat(stopped.keys()).isBetween(500L, 1_999L);
    assertRefused(() -> rig.jobs.stop().join(), "no resync and no comparison");

    rig.jobs.resync(100_000, false).join();
    assertLevel(rig, rig.awaitEnd(), false);
    assertThat(rig.copied.get()).isBetween(2_000L, 2_100L);
  }

  private static void assertRefused(Runnable action, String why) {
    assertThatThrownBy(action::run)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(JobRefusedException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aKilledCopyPausesItAndItGoesOn() {
    pausesAndGoesOn(server("appendonly", "yes"), server("appendonly", "yes"), false);
  }

  @Test
  void aKilledPrimaryPausesItAndItGoesOn() {
    pausesAndGoesOn(server("appendonly", "yes"), server("appendonly", "yes"), true);
  }

  private void pausesAndGoesOn(ServerProcess first, ServerProcess second, boolean killsPrimary) {
    for (int i = 0; i < 3_000; i++) {
      first.text("SET", "key" + i, "v");
    }
    ResyncRig rig = rig(first, second);
    rig.jobs.resync(2_000, true).join();
    rig.await(each -> each.keys() > 500);
    ServerProcess victim = killsPrimary ? first : second;
    victim.kill();
    CopyJobStatus paused = rig.await(each -> each.state() == State.PAUSED);
    assertThat(paused.reason()).isNotBlank();
    rig.run(() -> {
      victim.restart();
      rig.primary.reconnect();
      rig.copy.reconnect();
    });

    assertLevel(rig, rig.awaitEnd(), false);
  }

  @Test
  void whatIsLostMeanwhileIsCopiedInAnotherRound() {
    ServerProcess first = server();
    for (int i = 0; i < 500; i++) {
      first.text("SET", "key" + i, "v");
    }
    ResyncRig rig = rig(first, server());
    rig.jobs.resync(1_000, true).join();
    rig.await(each -> each.keys() > 300);
    rig.losses.incrementAndGet();
    CopyJobStatus ended = rig.awaitEnd();
    assertThat(ended.round()).isEqualTo(2);
    assertLevel(rig, ended, false);
  }

  @Test
  void aKeyThatIsTooLargeIsReported() {
    ServerProcess first = server();
    ServerProcess second = server("proto-max-bulk-len", "1mb");
    try (RespClient client = first.connect()) {
      client.value("SETRANGE", "fits", "900000", "x");
      client.value("SET", "many\n\"words", "x");
      for (int i = 0; i < 150_000; i++) {
        client.send("RPUSH", "many\n\"words2", "element of a long list" + i * 7919);
      }
      client.flush();
      for (int i = 0; i < 150_000; i++) {
        client.read();
      }
    }
    ResyncRig rig = rig(first, second);
    CopyJobStatus ended = rig.resync();

    assertThat(ended.state()).isEqualTo(State.ENDED);
    assertThat(ended.level()).isFalse();
    assertThat(ended.reason()).isEqualTo("1 keys could not be copied");
    assertThat(ended.listed())
        .singleElement()
        .satisfies(key -> {
          assertThat(key.name()).isEqualTo("many\\x0a\\\"words2");
          assertThat(key.what()).contains("bytes as DUMP writes it");
        });
    assertThat(second.text("EXISTS", "fits")).isEqualTo("1");
  }

  @Test
  void aShardWithAnotherMasterBeginsAnew() {
    EmbeddedCluster cluster =
        opened(EmbeddedCluster.builder().masters(3).replicas(1).failoverOnRequest().start());
    ServerProcess server = server();
    ResyncRig rig =
        opened(
            new ResyncRig(
                group -> ResyncSide.of(group, cluster), group -> ResyncSide.of(group, server)));
    for (int i = 0; i < 2_000; i++) {
      rig.primary.write("SET", "key" + i, "v");
    }
    cluster.awaitHealthy();
    rig.jobs.resync(400, true).join();
    rig.await(each -> each.keys() > 200);
    Member next = cluster.replicas().getFirst();
    cluster.failover(next);
    rig.await(_ -> rig.primary.hasMaster(next));
    rig.run(rig.primary::reconnect);

    CopyJobStatus after = rig.awaitEnd();
    rig.primary.reconnect();
    assertLevel(rig, after, false);
    assertThat(after.count("copied")).isGreaterThanOrEqualTo(2_000L);
  }
}
