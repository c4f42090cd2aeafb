package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Shard;
import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands for every shard: {@code b} is on node 0, {@code a} and {@code foo} on node 1. */
class BroadcastTest {

  private static final String READONLY =
      "-READONLY You can't write against a read only replica.\r\n";

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void theRequestGoesToEveryShardAndRepliesAreMerged() {
    Peer client = rig.client();
    client.send(call("DBSIZE") + get("b"));
    Peer lower = rig.accept(0).expect(call("DBSIZE") + get("b"));
    Peer upper = rig.accept(1).expect(call("DBSIZE"));

    lower.send(":3\r\n$-1\r\n");
    upper.send(":4\r\n");

    client.expect(":7\r\n$-1\r\n");
  }

  @Test
  void latenciesOfDifferentServerVersionsAreMerged() {
    Peer client = rig.client();
    client.send(call("LATENCY LATEST") + get("b"));
    Peer lower = rig.accept(0).expect(call("LATENCY LATEST") + get("b"));
    Peer upper = rig.accept(1).expect(call("LATENCY LATEST"));

    lower.send("*1\r\n*6\r\n$4\r\nfork\r\n:9\r\n:5\r\n:8\r\n:20\r\n:3\r\n$1\r\nv\r\n");
    upper.send("*1\r\n*4\r\n$4\r\nfork\r\n:7\r\n:2\r\n:90\r\n");

    client
        .expect("*1\r\n*6\r\n$4\r\nfork\r\n:9\r\n:5\r\n:90\r\n:20\r\n:3\r\n")
        .expect("$1\r\nv\r\n");
  }

  @Test
  void theCommandLogIsThatOfAllNodes() {
    String entry = "*6\r\n:%d\r\n:%d\r\n:1\r\n*0\r\n$1\r\nx\r\n$0\r\n\r\n";
    Peer client = rig.client();
    String calls = call("COMMANDLOG GET 1 large-reply") + call("COMMANDLOG LEN slow");
    client.send(calls + call("COMMANDLOG RESET slow"));
    String all = calls + call("COMMANDLOG RESET slow");
    rig.accept(0).expect(all).send("*1\r\n" + entry.formatted(7, 100) + ":1\r\n+OK\r\n");
    rig.accept(1).expect(all).send("*1\r\n" + entry.formatted(3, 200) + ":2\r\n+OK\r\n");

    client.expect("*1\r\n" + entry.formatted(3, 200) + ":3\r\n+OK\r\n");
  }

  @Test
  void reportsOfSlotsAndKeysNeedPermission() {
    Peer client = rig.client();
    for (String line : List.of("HOTKEYS GET", "HOTKEYS START METRICS 1 CPU", "HOTKEYS STOP")) {
      client.send(call(line));
      assertThat(line(client))
          .startsWith("-ERR HOTKEYS ")
          .contains(" is not allowed through this proxy: it administers servers; add hotkeys|");
    }
    client.send(call("CLUSTER GETSLOTMIGRATIONS"));
    assertThat(line(client))
        .endsWith("add cluster|getslotmigrations to penstock.commands.allow to allow it");
    client.send(call("TRIMSLOTS RANGES 1 0 5"));
    assertThat(line(client)).contains("it is for connections between servers");
  }

  private static String line(Peer client) {
    var line = new StringBuilder();
    while (line.indexOf("\r\n") < 0) {
      line.append(client.read(1));
    }
    return line.toString().stripTrailing();
  }

  @Test
  void allowedReportsComeFromAllNodes() {
    rig.close();
    rig = new RigOptions().allow("hotkeys", "cluster|getslotmigrations").start();
    String calls =
        call("HOTKEYS START METRICS 1 CPU SLOTS 1 0")
            + call("HOTKEYS GET").repeat(3)
            + call("HOTKEYS STOP")
            + call("HOTKEYS RESET")
            + call("CLUSTER GETSLOTMIGRATIONS");
    Peer client = rig.client();
    client.send(calls);
    rig.accept(0)
        .expect(calls)
        .send("+OK\r\n*1\r\n$1\r\na\r\n*1\r\n$1\r\na\r\n$-1\r\n+OK\r\n+OK\r\n")
        .send("*1\r\n$1\r\nm\r\n");
    rig.accept(1)
        .expect(calls)
        .send("-ERR slot 0 not handled by this node\r\n$-1\r\n*1\r\n$1\r\nb\r\n$-1\r\n")
        .send("$-1\r\n+OK\r\n*0\r\n");

    client
        .expect("+OK\r\n*1\r\n$1\r\na\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n$-1\r\n")
        .expect("+OK\r\n+OK\r\n*1\r\n$1\r\nm\r\n");
  }

  @Test
  void theRequestIsSentUnchanged() {
    Peer client = rig.client();
    client.send(Wire.request("keYs", "*"));
    rig.accept(0).expect(Wire.request("keYs", "*")).send("*1\r\n$1\r\nb\r\n");
    rig.accept(1).expect(Wire.request("keYs", "*")).send("*1\r\n$1\r\na\r\n");

    client.expect("*2\r\n$1\r\nb\r\n$1\r\na\r\n");
  }

  @Test
  void aResp3ClientIsServedOverResp3Connections() {
    Peer client = rig.client();
    client.send(call("HELLO 3") + call("RANDOMKEY"));
    for (int node = 0; node < 2; node++) {
      rig.accept(node); // the connection for RESP2 comes first
      Peer peer = rig.acceptUnanswered(node).expect(call("HELLO 3"));
      peer.send("%0\r\n").expect(call("CLIENT SETNAME penstock")).send("+OK\r\n");
      peer.expect(call("RANDOMKEY")).send("_\r\n");
    }
    assertThat(client.read(4)).isEqualTo("%7\r\n");
    var rest = new StringBuilder();
    await().until(() -> rest.append(client.read(client.pending())).toString().endsWith("_\r\n"));
  }

  @Test
  void largeRepliesAreMerged() {
    String many = Wire.bulk("x".repeat(1_000)).repeat(300);
    Peer client = rig.client();
    client.send(call("KEYS *"));
    Peer lower = rig.accept(0).expect(call("KEYS *"));
    Peer upper = rig.accept(1).expect(call("KEYS *"));
    lower.send("*300\r\n" + many.substring(0, 100_000));
    upper.send("*300\r\n" + many);
    lower.send(many.substring(100_000));

    client.expect("*600\r\n" + many + many);
  }

  @Test
  void repliesTooLargeToMergeAreAnError() {
    rig.close();
    rig = new RigOptions().limits(new RespLimits(1_000, 100, 1_000, 200_000)).start();
    String many = "*150\r\n" + Wire.bulk("x".repeat(1_000)).repeat(150);
    Peer client = rig.client();
    client.send(call("KEYS *") + call("DBSIZE") + PING);
    Peer lower = rig.accept(0).expect(call("KEYS *") + call("DBSIZE")).send(many + ":1\r\n");
    Peer upper = rig.accept(1).expect(call("KEYS *") + call("DBSIZE"));

    try (LogLines log = LogLines.of("client.ClientLog")) {
      upper.send(many + ":1\r\n");
      client.expect(
          "-ERR the replies to the parts of this command are too large to be merged\r\n"
              + ":2\r\n+PONG\r\n");
      assertThat(log.get())
          .singleElement()
          .asString()
          .contains("the replies to merge exceed 200000 bytes");
    }
    client.send(call("KEYS *"));
    lower.expect(call("KEYS *")).send(many);
    upper.expect(call("KEYS *")).send("*0\r\n");
    client.expect(many);
  }

  @Test
  void theSameErrorOfAllNodesIsReturnedOnce() {
    Peer client = rig.client();
    client.send(call("FLUSHALL NOW") + PING);
    rig.accept(0).expect(call("FLUSHALL NOW")).send("-ERR syntax error\r\n");
    rig.accept(1).expect(call("FLUSHALL NOW")).send("-ERR syntax error\r\n");

    client.expect("-ERR syntax error\r\n+PONG\r\n");
  }

  @Test
  void aWriteLostOnOneShardIsAnErrorAndNotRetried() {
    Peer client = rig.client();
    client.send(call("FLUSHALL"));
    rig.accept(0).expect(call("FLUSHALL")).send("+OK\r\n");
    rig.accept(1).expect(call("FLUSHALL")).close();

    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
    Peer again = rig.accept(1);
    client.send(get("a"));
    again.expect(get("a"));
  }

  @Test
  void aLostReadIsRetried() {
    Peer client = rig.client();
    client.send(call("DBSIZE"));
    rig.accept(0).expect(call("DBSIZE")).send(":1\r\n");
    rig.accept(1).expect(call("DBSIZE")).close();
    rig.accept(1).expect(call("DBSIZE")).send(":2\r\n");

    client.expect(":3\r\n");
  }

  @Test
  void aNewMasterReplacesTheOldOne() {
    Peer client = rig.client();
    client.send(call("FLUSHALL"));
    rig.accept(0).expect(call("FLUSHALL")).send("+OK\r\n");
    Peer old = rig.accept(1).expect(call("FLUSHALL"));
    old.send(READONLY);
    await().until(() -> rig.topology().calls().contains("refresh READONLY"));
    Peer unknowing = old.expect(call("FLUSHALL"));

    try (var promoted = new ScriptedNode()) {
      SlotMap before = rig.topology().current();
      rig.publish(
          new SlotMap.Builder()
              .shard(before.shards().getFirst())
              .range(0, 8_191)
              .shard(
                  new Shard(new Endpoint("127.0.0.1", promoted.port()), List.of(rig.address(1)), 3))
              .range(8_192, 16_383)
              .build());
      unknowing.send(READONLY);
      promoted.accept().expect(call("FLUSHALL")).send("+OK\r\n");

      client.expect("+OK\r\n");
    }
  }

  @Test
  void aLaterWriteDoesNotOvertakeARetriedFlush() {
    Peer client = rig.client();
    client.send(call("FLUSHALL") + set("a", "1"));
    Peer lower = rig.accept(0).expect(call("FLUSHALL")).send("+OK\r\n");
    Peer upper = rig.accept(1).expect(call("FLUSHALL"));
    SlotMap before = rig.topology().current();
    rig.publish(before.withSlotOn(Rig.SLOT_A, rig.address(0)));

    // The node becomes a replica. The flush waits a moment, and so must the write.
    upper.send(READONLY).expect(call("FLUSHALL")).send("+OK\r\n");
    client.expect("+OK\r\n");

    lower.expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void anOvertakenRequestIsNotRetried() {
    Peer client = rig.client();
    client.send(call("SCRIPT FLUSH") + set("a", "1"));
    rig.accept(0).expect(call("SCRIPT FLUSH")).send("+OK\r\n");
    rig.accept(1)
        .expect(call("SCRIPT FLUSH") + set("a", "1"))
        .send("-LOADING Redis is loading the dataset in memory\r\n+OK\r\n");

    client.expect("-LOADING Redis is loading the dataset in memory\r\n+OK\r\n");
  }

  @Test
  void aWriteToAnotherShardOvertakesNothing() {
    Peer client = rig.client();
    client.send(call("SCRIPT FLUSH") + set("b", "1"));
    Peer lower = rig.accept(0).expect(call("SCRIPT FLUSH") + set("b", "1"));
    Peer upper = rig.accept(1).expect(call("SCRIPT FLUSH"));
    upper.send("-LOADING Redis is loading the dataset in memory\r\n");
    lower.send("+OK\r\n+OK\r\n");

    upper.expect(PING).send("+PONG\r\n").expect(call("SCRIPT FLUSH")).send("+OK\r\n");

    client.expect("+OK\r\n+OK\r\n");
  }

  @Test
  void aPartForAShardStaysThereWhenASlotMoves() {
    rig.server(1).stopListening();
    Peer client = rig.client();
    client.send(call("FLUSHALL"));
    Peer lower = rig.accept(0).expect(call("FLUSHALL")).send("+OK\r\n");
    rig.publish(rig.topology().current().withSlotOn(8_192, rig.address(0)));

    rig.server(1).listenAgain();
    rig.accept(1).expect(call("FLUSHALL")).send("+OK\r\n");

    client.expect("+OK\r\n");
    assertThat(lower.pending()).isZero();
  }

  @Test
  void aShardWithoutSlotsGetsNoRequest() {
    rig.publish(
        new SlotMap.Builder()
            .shard(rig.topology().current().shards().getFirst())
            .range(0, 16_383)
            .shard(rig.topology().current().shards().getLast())
            .build());
    Peer client = rig.client();
    client.send(call("DBSIZE"));
    rig.accept(0).expect(call("DBSIZE")).send(":5\r\n");

    client.expect(":5\r\n");
  }

  @Test
  void aBroadcastAndLaterRequestsWaitForAllSlots() {
    SlotMap whole = rig.topology().current();
    rig.publish(new SlotMap.Builder().shard(whole.shards().getFirst()).range(0, 8_191).build());
    Peer client = rig.client();
    client.send(get("b") + call("DBSIZE") + get("b"));
    Peer lower = rig.accept(0).expect(get("b"));
    rig.publish(whole);
    lower.send("$-1\r\n");
    client.expect("$-1\r\n");

    lower.expect(call("DBSIZE")).send(":1\r\n");
    rig.accept(1).expect(call("DBSIZE")).send(":2\r\n");
    client.expect(":3\r\n");
    lower.expect(get("b")).send("$1\r\nx\r\n");
    client.expect("$1\r\nx\r\n");
  }

  @Test
  void slotsWithoutOwnerUntilTheDeadlineAreAnError() {
    rig.close();
    rig = new RigOptions().commandTimeout(Duration.ofMillis(200)).start();
    rig.publish(SlotMap.EMPTY);
    Peer client = rig.client();
    client.send(call("DBSIZE") + PING);

    client.expect("-CLUSTERDOWN Hash slot not served\r\n+PONG\r\n");
  }

  @Test
  void scriptKillUsesAnotherConnectionThanTheScript() {
    Peer client = rig.client();
    client.send(call("EVAL loop 1 a") + call("SCRIPT KILL") + get("a"));
    Peer busy = rig.accept(1).expect(call("EVAL loop 1 a") + get("a"));
    rig.accept(1).expect(call("SCRIPT KILL")).send("+OK\r\n");
    rig.accept(0);
    rig.accept(0).expect(call("SCRIPT KILL")).send("-NOTBUSY none\r\n");

    busy.send("-ERR killed\r\n$-1\r\n");

    client.expect("-ERR killed\r\n+OK\r\n$-1\r\n");
  }

  @Test
  void aSingleServerAnswersBroadcasts() {
    rig.close();
    rig = new RigOptions().single().start();
    Peer client = rig.client();
    client.send(call("FLUSHALL") + call("SCRIPT KILL"));
    rig.accept(0).expect(call("FLUSHALL")).send("+OK\r\n");
    rig.accept(0).expect(call("SCRIPT KILL")).send("-NOTBUSY no\r\n");

    client.expect("+OK\r\n-NOTBUSY no\r\n");
  }

  @Test
  void aDisconnectedClientLeavesNothingBehind() {
    Peer client = rig.client();
    client.send(call("KEYS *"));
    Peer lower = rig.accept(0).expect(call("KEYS *"));
    Peer upper = rig.accept(1).expect(call("KEYS *"));
    lower.send("*1\r\n" + Wire.bulk("x".repeat(50_000)));
    await().until(() -> rig.bytesReceivedFrom(0) > 50_000);

    client.reset();
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
    upper.send("*0\r\n");
    await().until(() -> rig.bytesReceivedFrom(1) == 5 + 4);

    rig.client().send(PING).expect("+PONG\r\n");
  }
}
