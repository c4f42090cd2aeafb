package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandTable;
import io.penstock.core.forward.Gather;
import io.penstock.core.forward.Part;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Merge;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Requests split over nodes: {@code a} and {@code foo} on node 1, {@code b}, {@code c} on node 0.
 */
class GatherTest {

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void oneRequestPerSlotIsSentAndValuesKeepTheirOrder() {
    Peer client = rig.client();
    client.send(call("MGET a b {a}2 c"));
    Peer upper = rig.accept(1).expect(call("MGET a {a}2"));
    Peer lower = rig.accept(0).expect(call("MGET b") + call("MGET c"));

    lower.send("*1\r\n$1\r\nb\r\n*1\r\n$-1\r\n");
    upper.send("*2\r\n$1\r\na\r\n$2\r\na2\r\n");

    client.expect("*4\r\n$1\r\na\r\n$1\r\nb\r\n$2\r\na2\r\n$-1\r\n");
  }

  @Test
  void duplicateKeysAreRequestedTwice() {
    Peer client = rig.client();
    client.send(call("MGET a b a"));
    rig.accept(1).expect(call("MGET a a")).send("*2\r\n$1\r\n1\r\n$1\r\n2\r\n");
    rig.accept(0).expect(call("MGET b")).send("*1\r\n$1\r\nb\r\n");

    client.expect("*3\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n");
  }

  @Test
  void valuesAreSentWithTheirKeys() {
    Peer client = rig.client();
    client.send(Wire.request("mset", "a", "1\r\n2", "b", "", "{a}x", "x".repeat(200)));
    Peer upper = rig.accept(1);
    upper.expect(Wire.request("mset", "a", "1\r\n2", "{a}x", "x".repeat(200))).send("+OK\r\n");
    rig.accept(0).expect(Wire.request("mset", "b", "")).send("+OK\r\n");

    client.expect("+OK\r\n");
  }

  @Test
  void countsAreAdded() {
    for (String command : new String[] {"DEL", "UNLINK", "EXISTS", "TOUCH"}) {
      try (Rig fresh = Rig.cluster()) {
        Peer client = fresh.client();
        client.send(call(command + " a b c"));
        fresh.accept(1).expect(call(command + " a")).send(":1\r\n");
        Peer lower = fresh.accept(0).expect(call(command + " b") + call(command + " c"));
        lower.send(":0\r\n:1\r\n");

        client.expect(":2\r\n");
      }
    }
  }

  @Test
  void reroutedRequestsAreSentBeforeLaterOnes() {
    Peer late = rig.client();
    List<Peer> waiting = Stream.generate(rig::clientOfSmallReplies).limit(4).toList();
    Peer paused = rig.client();
    rig.server(1).stopListening();
    waiting.forEach(client -> client.send(get("a").repeat(256)));
    await().until(() -> rig.onLoop(() -> rig.dispatcher().nodes().heldRequests().size()) == 1_024);
    paused.send(get("a") + call("DEL a b a b"));
    await().until(() -> rig.onLoop(() -> rig.dispatcher().nodes().heldRequests().size()) == 1_025);

    SlotMap now = rig.topology().current();
    SlotMap next = rig.onLoop(() -> now.withSlotOn(Rig.SLOT_A, rig.address(0)));
    rig.publish(next);
    late.send(call("MSET b 1 c 2"));

    rig.accept(0).expect(get("a").repeat(1_025) + call("MSET b 1") + call("MSET c 2"));
  }

  @Test
  void aFailureReleasesAllParts() {
    Peer client = rig.client();
    client.send(PING).expect("+PONG\r\n");
    Session session = rig.newestSession();
    ByteBuf reply = Wire.buffer(Wire.bulk("v".repeat(5_000)));
    rig.onLoop(() -> {
      CommandSpec mget = CommandTable.load().byName("mget");
      var gather =
          new Gather(
              session.forward(), session.reserve(mget), Merge.ARRAY_BY_KEY, new int[] {0, 1}, 2);
      Part[] parts = {new Part(gather.parts()), new Part(gather.parts())};
      for (Part part : parts) {
        ByteBuf request = Wire.buffer(call("MGET b"));
        part.setRequestBytes(new SharedBuffer(request), 0, request.readableBytes());
        part.prepare(mget, Rig.SLOT_A);
      }
      gather.send(parts);
      parts[0].deliver(reply, 0, reply.readableBytes(), Outcome.OK);
      assertThat(reply.refCnt()).isEqualTo(2);
      parts[1].recoverFrom(new OutOfMemoryError("thrown by a test"));
      return null;
    });

    client.expectClosed();
    assertThat(reply.refCnt()).isEqualTo(1);
    reply.release();
  }

  @Test
  void inlineRequestsAreSplit() {
    Peer client = rig.client();
    client.send("MGET a \"b\"\r\n");
    rig.accept(1).expect(call("MGET a")).send("*1\r\n$1\r\na\r\n");
    rig.accept(0).expect(call("MGET b")).send("*1\r\n$1\r\nb\r\n");

    client.expect("*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  }

  @Test
  void anErrorOfAnyPartIsTheReply() {
    Peer client = rig.client();
    client.send(call("DEL a b") + PING);
    rig.accept(1).expect(call("DEL a")).send(":1\r\n");
    rig.accept(0).expect(call("DEL b")).send("-READONLY no\r\n");

    client.expect("-READONLY no\r\n+PONG\r\n");
    int id = CommandTable.load().byName("del").id();
    assertThat(rig.<Long>onLoop(() -> rig.sessions().counters().count(id, Outcome.ERROR)))
        .isEqualTo(1);
  }

  @Test
  void anErrorOfOnePartReplacesOk() {
    Peer client = rig.client();
    client.send(call("MSET a 1 b 2") + call("MSET a 1 b 2"));
    Peer lower = rig.accept(0).expect(call("MSET b 2") + call("MSET b 2"));
    Peer upper = rig.accept(1).expect(call("MSET a 1") + call("MSET a 1"));

    lower.send("+OK\r\n+OK\r\n");
    upper.send("-OOM no\r\n+OK\r\n");

    client.expect("-OOM no\r\n+OK\r\n");
  }

  @Test
  void eachPartHasItsNumberOfKeysAndTheOptions() {
    Peer client = rig.client();
    client.send(call("msetex 3 a 1 b 2 {a}3 4 EX 100"));
    Peer lower = rig.accept(0).expect(call("msetex 1 b 2 EX 100")).send(":1\r\n");
    Peer upper = rig.accept(1).expect(call("msetex 2 a 1 {a}3 4 EX 100")).send(":1\r\n");
    client.expect(":1\r\n");

    client.send(call("MSETEX 2 a 1 b 2"));
    lower.expect(call("MSETEX 1 b 2")).send(":1\r\n");
    upper.expect(call("MSETEX 1 a 1")).send("-OOM no\r\n");
    client.expect("-OOM no\r\n");
  }

  @Test
  void veryManyCountedKeysAreSplitInSlices() {
    int pairs = 5_000;
    var request = new StringBuilder("MSETEX " + 2 * pairs);
    var lower = new StringBuilder("MSETEX " + pairs);
    var upper = new StringBuilder("MSETEX " + pairs);
    for (int i = 0; i < pairs; i++) {
      request.append(" {a}").append(i).append(" x {b}").append(i).append(" y");
      upper.append(" {a}").append(i).append(" x");
      lower.append(" {b}").append(i).append(" y");
    }
    Peer client = rig.client();
    client.send(call(request + " KEEPTTL"));

    rig.accept(0).expect(call(lower + " KEEPTTL")).send(":1\r\n");
    rig.accept(1).expect(call(upper + " KEEPTTL")).send(":1\r\n");

    client.expect(":1\r\n");
  }

  @Test
  void theReplyWaitsForEarlierRepliesAndAllParts() {
    Peer client = rig.client();
    client.send(get("b") + call("MGET a b") + get("foo"));
    Peer lower = rig.accept(0).expect(get("b") + call("MGET b"));
    Peer upper = rig.accept(1).expect(call("MGET a") + get("foo"));

    upper.send("*1\r\n$1\r\na\r\n$3\r\nfoo\r\n");
    lower.send("$1\r\nb\r\n");
    client.expect("$1\r\nb\r\n");
    lower.send("*1\r\n$1\r\nB\r\n");

    client.expect("*2\r\n$1\r\na\r\n$1\r\nB\r\n$3\r\nfoo\r\n");
  }

  @Test
  void largePartsAreMerged() {
    String value = Wire.bulk("x".repeat(300_000));
    Peer client = rig.client();
    client.send(call("MGET a b"));
    Peer upper = rig.accept(1).expect(call("MGET a"));
    Peer lower = rig.accept(0).expect(call("MGET b"));
    lower.send("*1\r\n" + value.substring(0, 100_000));
    upper.send("*1\r\n" + value);
    lower.send(value.substring(100_000));

    client.expect("*2\r\n" + value + value);
  }

  @Test
  void onlyARedirectedPartIsSentAgain() {
    Peer client = rig.client();
    client.send(call("MGET a b"));
    Peer upper = rig.accept(1).expect(call("MGET a"));
    Peer lower = rig.accept(0).expect(call("MGET b")).send("*1\r\n$1\r\nb\r\n");
    upper.send("-MOVED 15495 127.0.0.1:" + rig.address(0).port() + "\r\n");

    lower.expect(call("MGET a")).send("*1\r\n$1\r\na\r\n");

    client.expect("*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  }

  @Test
  void aLostPartOfAWriteIsAnError() {
    Peer client = rig.client();
    client.send(call("MSET a 1 b 2"));
    rig.accept(0).expect(call("MSET b 2")).send("+OK\r\n");
    rig.accept(1).expect(call("MSET a 1")).close();

    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
  }

  @Test
  void aTimeoutOfAPartIsATimeoutOfTheRequest() {
    Peer client = rig.client();
    client.send(call("MGET a b"));
    rig.accept(0).expect(call("MGET b"));
    rig.accept(1).expect(call("MGET a")).send("*1\r\n$1\r\na\r\n");
    await().until(() -> rig.bytesReceivedFrom(1) == 5 + 11);

    rig.tick(Duration.ofSeconds(200));

    client.expect("-TIMEOUT the node did not answer in time\r\n");
  }

  @Test
  void onlyPartsOfAnUncoveredSlotWait() {
    SlotMap whole = rig.topology().current();
    rig.publish(new SlotMap.Builder().shard(whole.shards().getFirst()).range(0, 8_191).build());
    Peer client = rig.client();
    client.send(call("MGET a b"));
    rig.accept(0).expect(call("MGET b")).send("*1\r\n$1\r\nb\r\n");

    rig.publish(whole);

    rig.accept(1).expect(call("MGET a")).send("*1\r\n$1\r\na\r\n");
    client.expect("*2\r\n$1\r\na\r\n$1\r\nb\r\n");
  }

  @Test
  void aSplitRequestDoesNotOvertakeOnANewRoute() {
    Peer client = rig.client();
    client.send(set("a", "1"));
    Peer old = rig.accept(1).expect(set("a", "1"));
    Peer owner = rig.accept(0);
    rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));
    client.send(call("MGET a b"));
    Session session = rig.newestSession();
    await().until(() -> rig.onLoop(() -> !session.input().isEmpty()));
    Peer other = rig.client();
    other.send(get("c"));
    owner.expect(get("c")).send("$-1\r\n");

    old.send("+1\r\n");

    owner.expect(call("MGET a") + call("MGET b"));
    owner.send("*1\r\n$1\r\n1\r\n*1\r\n$-1\r\n");
    client.expect("+1\r\n*2\r\n$1\r\n1\r\n$-1\r\n");
  }

  @Test
  void aDisconnectedClientLeavesNothingBehind() {
    Peer client = rig.client();
    client.send(call("MGET a b"));
    Peer upper = rig.accept(1).expect(call("MGET a"));
    Peer lower = rig.accept(0).expect(call("MGET b"));
    upper.send("*1\r\n" + Wire.bulk("x".repeat(50_000)));
    await().until(() -> rig.bytesReceivedFrom(1) > 50_000);

    client.reset();
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
    lower.send("*1\r\n$1\r\nb\r\n");
    await().until(() -> rig.bytesReceivedFrom(0) == 5 + 11);

    Peer other = rig.client();
    other.send(PING).expect("+PONG\r\n");
  }
}
