package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions over several slots, step by step, at nodes whose every byte the test sends. */
class SpreadTransactionTest {

  private static final String MULTI = call("MULTI");
  private static final String EXEC = call("EXEC");
  private static final String DISCARD = call("DISCARD");
  private static final String OK = "+OK\r\n";
  private static final String QUEUED = "+QUEUED\r\n";
  private static final String NIL = "*-1\r\n";
  private static final String PARTIAL =
      "-TXPARTIAL the commands of this slot did not run, those of other slots did: ";

  private Rig rig = new RigOptions().emulatesCrossSlot(100_000).start();

  @SuppressWarnings("NullAway.Init")
  private Peer node0; // the shared connections

  @SuppressWarnings("NullAway.Init")
  private Peer node1;

  @BeforeEach
  void connect() {
    node1 = rig.connected(1);
    node0 = rig.accept(0);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private Peer lease(int node) {
    return rig.acceptUnanswered(node).expect(NAMING + call("CLIENT ID")).send("+OK\r\n:77\r\n");
  }

  private NodeStats stats(int node) {
    return rig.onLoop(() ->
        rig.dispatcher().nodes().stats().stream()
            .filter(stats -> stats.node().equals(rig.address(node)))
            .findFirst()
            .orElseThrow());
  }

  private void awaitNothingInFlight() {
    await().until(() -> stats(0).inFlight() + stats(1).inFlight() == 0);
  }

  private String redirect(String kind, int slot, int node) {
    return "-" + kind + " " + slot + " 127.0.0.1:" + rig.address(node).port() + "\r\n";
  }

  private static String multi(String... commands) {
    return MULTI + String.join("", commands);
  }

  /** Begins a transaction with a command for each of the nodes, and sends EXEC. */
  private Peer execute() {
    Peer client = rig.client();
    client.send(multi(set("a", "1"), set("b", "2"), get("a")) + EXEC);
    client.expect(OK + QUEUED.repeat(3));
    return client;
  }

  private Peer queueAtNode1() {
    return lease(1).expect(multi(set("a", "1"), get("a"))).send(OK + QUEUED + QUEUED);
  }

  private Peer queueAtNode0() {
    return lease(0).expect(multi(set("b", "2"))).send(OK + QUEUED);
  }

  @Test
  void eachSlotHasABlockAndRepliesAreInTheClientsOrder() {
    Peer client = execute();
    Peer one = lease(1).expect(multi(set("a", "1"), get("a")));
    Peer other = lease(0).expect(multi(set("b", "2"))).send(OK + QUEUED);
    assertThat(other.pending()).isZero(); // nothing runs before all are queued
    one.send(OK + QUEUED + QUEUED);
    one.expect(EXEC);
    other.expect(EXEC).send("*1\r\n-WRONGTYPE no\r\n");
    client.send(get("b"));
    one.send("*2\r\n+OK\r\n$1\r\n1\r\n");
    client.expect("*3\r\n+OK\r\n-WRONGTYPE no\r\n$1\r\n1\r\n");
    node0.expect(get("b")); // later requests wait
    assertThat(stats(1).exclusive()).isEqualTo(1);
    awaitAllReturned();
  }

  private void awaitAllReturned() {
    Peer client = rig.client();
    client
        .send(multi(set("a", "1"), set("b", "2")) + call("DISCARD"))
        .expect(OK + QUEUED + QUEUED + OK);
  }

  @Test
  void aTransactionOnOneSlotIsSentAsBefore() {
    Peer client = rig.client();
    client.send(multi(set("a", "1"), get("a")) + EXEC);
    node1
        .expect(multi(set("a", "1"), get("a")) + EXEC)
        .send(OK + QUEUED + QUEUED + "*2\r\n+OK\r\n+1\r\n");
    client.expect(OK + QUEUED + QUEUED + "*2\r\n+OK\r\n+1\r\n");
  }

  @Test
  void earlierRequestsAreAnsweredFirst() {
    Peer client = rig.client();
    client.send(get("b") + multi(set("a", "1"), set("b", "2")) + EXEC);
    node0.expect(get("b"));
    assertThat(stats(0).exclusive()).isZero();
    node0.send("+v\r\n");
    lease(1).expect(multi(set("a", "1")));
    client.expect("+v\r\n");
  }

  @Test
  void whatIsSplitOutsideIsSplitWithin() {
    Peer client = rig.client();
    client.send(multi(call("MGET b a b"), call("DEL a b"), PING, call("MSET a 1 b 2")) + EXEC);
    client.expect(OK + QUEUED.repeat(4));
    Peer a = lease(1).expect(multi(call("MGET a"), call("DEL a"), call("MSET a 1")));
    Peer b = lease(0).expect(multi(call("MGET b b"), call("DEL b"), call("MSET b 2")));
    a.send(OK + QUEUED.repeat(3));
    b.send(OK + QUEUED.repeat(3));
    a.expect(EXEC).send("*3\r\n*1\r\n$1\r\nA\r\n:1\r\n+OK\r\n");
    b.expect(EXEC).send("*3\r\n*2\r\n$1\r\nB\r\n$1\r\nB\r\n:0\r\n+OK\r\n");
    client.expect("*4\r\n*3\r\n$1\r\nB\r\n$1\r\nA\r\n$1\r\nB\r\n:1\r\n+PONG\r\n+OK\r\n");
  }

  @Test
  void commandsOfSeveralStepsAreRefusedAndAbort() {
    Peer client = rig.client();
    client.send(multi(call("RENAME a b")) + EXEC);
    client.expect(
        OK
            + "-CROSSSLOT a command with keys of several slots cannot be part of a"
            + " transaction; give its keys the same hash tag, or send it outside of MULTI\r\n"
            + "-EXECABORT Transaction discarded because of previous errors.\r\n");
  }

  @Test
  void anErrorWhileQueueingAbortsAll() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = lease(0).expect(multi(set("b", "2"))).send(OK + "-OOM no memory\r\n");
    client.expect("-EXECABORT Transaction discarded because of previous errors. OOM no memory\r\n");
    one.expect(DISCARD).send(OK);
    other.expect(DISCARD).send(OK);
    awaitNothingInFlight();
    assertThat(stats(1).exclusive()).isEqualTo(1);
    client.send(PING).expect("+PONG\r\n");
  }

  @Test
  void aRedirectWhileQueueingIsFollowed() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer old = lease(0).expect(multi(set("b", "2"))).send(OK + redirect("MOVED", Rig.SLOT_B, 1));
    old.expect(DISCARD).send(OK);
    Peer moved = lease(1).expect(multi(set("b", "2"))).send(OK + QUEUED);
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    moved.expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+1\r\n");
  }

  @Test
  void askIsFollowedWithAsking() {
    Peer client = execute();
    queueAtNode1();
    Peer old = lease(0).expect(multi(set("b", "2"))).send(OK + redirect("ASK", Rig.SLOT_B, 1));
    old.expect(DISCARD).send(OK);
    Peer importing = lease(1).expect(call("ASKING") + multi(set("b", "2")));
    importing.send(OK + OK + QUEUED).expect(EXEC);
    assertThat(client.pending()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-TRYAGAIN Multiple keys request during rehashing of slot",
        "-CLUSTERDOWN The cluster is down",
        "-LOADING Redis is loading the dataset in memory"
      })
  void whatMayPassWhileQueueingIsTriedAgain(String error) {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = lease(0).expect(multi(set("b", "2"))).send(OK + error + "\r\n");
    other.expect(DISCARD).send(OK).expect(multi(set("b", "2"))).send(OK + QUEUED);
    other.expect(EXEC).send("*1\r\n+OK\r\n");
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+1\r\n");
  }

  @Test
  void aConnectionLostWhileQueueingIsReplaced() {
    Peer client = execute();
    Peer one = queueAtNode1();
    lease(0).expect(multi(set("b", "2"))).close();
    Peer other = lease(0).expect(multi(set("b", "2"))).send(OK + QUEUED);
    other.expect(EXEC).send("*1\r\n+OK\r\n");
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+1\r\n");
  }

  @Test
  void aNodeThatDoesNotQueueInTimeEndsTheTransaction() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer silent = lease(0).expect(multi(set("b", "2")));
    rig.tick(Duration.ofSeconds(101));
    client.expect("-TIMEOUT a node did not answer in time; none of the transaction ran\r\n");
    silent.expectClosed();
    await().until(() -> stats(0).exclusive() + stats(1).exclusive() == 0);
    assertThat(one).isNotNull();
  }

  @Test
  void aSlotThatMovedBeforeItsExecRunsAtItsNewNode() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer old = queueAtNode0();
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    await().until(() -> stats(1).inFlight() == 0);
    old.expect(EXEC).send(redirect("MOVED", Rig.SLOT_B, 1));
    one.expect(multi(set("b", "2"))).send(OK + QUEUED).expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+1\r\n");
  }

  /** Valkey queues a command for a key that has left, and says so at EXEC only. */
  @Test
  void anExecThatIsAnsweredWithAskRunsThere() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer old = queueAtNode0();
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    await().until(() -> stats(1).inFlight() == 0);
    old.expect(EXEC).send(redirect("ASK", Rig.SLOT_B, 1));
    one.expect(call("ASKING") + multi(set("b", "2"))).send(OK + OK + QUEUED);
    one.expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+1\r\n");
  }

  @Test
  void aNodeThatCannotRunTheBlockNowRunsItLater() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = queueAtNode0();
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    other
        .expect(EXEC)
        .send(
            "-EXECABORT Transaction discarded because of: LOADING Redis is loading the dataset in"
                + " memory\r\n");
    other.expect(multi(set("b", "2"))).send(OK + QUEUED).expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+1\r\n");
  }

  @Test
  void aBlockThatDoesNotRunHasErrorsInItsPlaces() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = queueAtNode0();
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    other.expect(EXEC).send("-EXECABORT Transaction discarded because of: OOM no memory\r\n");
    client.expect(
        "*3\r\n+OK\r\n"
            + PARTIAL
            + "EXECABORT Transaction discarded because of: OOM no memory\r\n+1\r\n");
    awaitNothingInFlight();
    assertThat(stats(0).exclusive()).isEqualTo(1);
  }

  @Test
  void aConnectionLostAfterExecLeavesThatSlotUnknown() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = queueAtNode0();
    one.expect(EXEC).send("*2\r\n+OK\r\n+1\r\n");
    other.expect(EXEC).close();
    client.expect(
        "*3\r\n+OK\r\n-CONNLOST the connection to the node was lost; the command may have"
            + " run\r\n+1\r\n");
  }

  @Test
  void noSlotKnownToHaveRunIsOneError() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = queueAtNode0();
    one.expect(EXEC).close();
    other.expect(EXEC).close();
    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
  }

  @Test
  void nothingRunsForAClientThatDisconnectsWhileQueueing() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = lease(0).expect(multi(set("b", "2")));
    client.reset();
    rig.awaitClients(0);
    other.send(OK + QUEUED).expect(DISCARD).send(OK);
    one.expect(DISCARD).send(OK);
    awaitNothingInFlight();
  }

  @Test
  void nothingWaitsForAClientThatDisconnected() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = lease(0).expect(multi(set("b", "2")));
    rig.server(0).stopListening();
    other.close();
    await().until(() -> stats(0).exclusive() == 0);
    client.reset();
    one.expect(DISCARD).send(OK);
    awaitNothingInFlight();
  }

  @Test
  void allRunsForAClientThatDisconnectsAfterExec() {
    Peer client = execute();
    Peer one = queueAtNode1();
    Peer other = queueAtNode0();
    one.expect(EXEC);
    other.expect(EXEC);
    client.reset();
    rig.awaitClients(0);
    one.send("*2\r\n+OK\r\n+1\r\n");
    await().until(() -> stats(1).inFlight() == 0);
    other.send(redirect("MOVED", Rig.SLOT_B, 1));
    one.expect(multi(set("b", "2"))).send(OK + QUEUED).expect(EXEC).send("*1\r\n+OK\r\n");
    awaitNothingInFlight();
  }

  @Test
  void tooManyConnectionsEndTheTransaction() {
    rig.close();
    rig = new RigOptions().emulatesCrossSlot(100_000).exclusiveConnections(1).start();
    connect();
    Peer client = rig.client();
    client.send(multi(set("a", "1"), set("foo", "2")) + EXEC);
    client.expect(OK + QUEUED + QUEUED);
    Peer one = lease(1).expect(multi(set("a", "1"))).send(OK + QUEUED);
    client.expect(
        "-OVERLOADED too many exclusive connections to this node; the command did not run\r\n");
    one.expect(DISCARD);
  }

  @Test
  void repliesThatAreTooLargeAreAnError() {
    Peer client = rig.client();
    client.send(multi(get("a"), get("b")) + EXEC);
    client.expect(OK + QUEUED + QUEUED);
    Peer one = lease(1).expect(multi(get("a"))).send(OK + QUEUED);
    Peer other = lease(0).expect(multi(get("b"))).send(OK + QUEUED);
    one.expect(EXEC).send("*1\r\n" + Wire.bulk("x".repeat(300_000)));
    other.expect(EXEC).send("*1\r\n" + Wire.bulk("y".repeat(300_000)));
    client.expect("*2\r\n" + Wire.bulk("x".repeat(300_000)) + Wire.bulk("y".repeat(300_000)));
  }

  @Test
  void scriptsThatNodesMayLackAreLoadedFirst() {
    Peer client = rig.client();
    client.send(call("SCRIPT LOAD return1"));
    String digest = "53f1da8c8a352df2fd0b308664621bc76c9e57cd";
    client.send(multi(set("b", "1"), call("EVALSHA " + digest + " 1 a")) + EXEC);
    node0.expect(call("SCRIPT LOAD return1")).send(Wire.bulk(digest));
    node1.expect(call("SCRIPT LOAD return1")).send(Wire.bulk(digest));
    client.expect(Wire.bulk(digest) + OK + QUEUED + QUEUED);
    Peer one = lease(1).expect(call("SCRIPT LOAD return1"));
    one.expect(multi(call("EVALSHA " + digest + " 1 a")));
    one.send(Wire.bulk(digest) + OK + QUEUED);
    Peer other = lease(0).expect(multi(set("b", "1"))).send(OK + QUEUED);
    one.expect(EXEC);
    other.expect(EXEC);
  }

  @Test
  void aSelectConcernsAllSlots() {
    rig.close();
    rig = new RigOptions().emulatesCrossSlot(100_000).valkey(9).start();
    connect();
    Peer client = rig.client();
    client.send(multi(set("a", "1"), call("SELECT 3"), set("b", "2")) + EXEC);
    client.expect(OK + QUEUED.repeat(3));
    Peer one = lease(1).expect(multi(set("a", "1"), call("SELECT 3"))).send(OK + QUEUED + QUEUED);
    Peer other = lease(0).expect(multi(call("SELECT 3"), set("b", "2"))).send(OK + QUEUED + QUEUED);
    one.expect(EXEC).send("*2\r\n+OK\r\n+OK\r\n");
    other.expect(EXEC).send("*2\r\n+OK\r\n:7\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n:7\r\n");
    one.expectClosed(); // nobody else gets a connection to another database
    other.expectClosed();
    client.send(get("c"));
    rig.acceptUnanswered(0).expect(NAMING).expect(call("SELECT 3"));
  }

  @Test
  void keysOfSeveralSlotsAreNotWatchedBehindSelect() {
    rig.close();
    rig = new RigOptions().emulatesCrossSlot(100_000).valkey(9).start();
    connect();
    Peer client = rig.client();
    Peer a = watchA(client);
    Peer b = watchB(client);
    client.send(call("SELECT 3"));
    a.expectClosed();
    b.expectClosed();
    assertThat(client.pending()).isZero();
  }

  // WATCH

  private Peer watchA(Peer client) {
    client.send(call("WATCH a"));
    Peer lease = lease(1).expect(call("WATCH a")).send(OK);
    client.expect(OK);
    return lease;
  }

  private Peer watchB(Peer client) {
    client.send(call("WATCH b"));
    Peer lease = lease(0).expect(call("WATCH b")).send(OK);
    client.expect(OK);
    return lease;
  }

  @Test
  void theWatchedSlotRunsFirst() {
    Peer client = rig.client();
    Peer watching = watchA(client);
    client.send(multi(set("a", "1"), set("b", "2")) + EXEC).expect(OK + QUEUED + QUEUED);
    watching.expect(multi(set("a", "1"))).send(OK + QUEUED);
    Peer other = queueAtNode0();
    watching.expect(EXEC);
    assertThat(other.pending()).isZero();
    watching.send("*1\r\n+OK\r\n");
    other.expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*2\r\n+OK\r\n+OK\r\n");
    awaitNothingInFlight();
    assertThat(stats(1).exclusive()).isEqualTo(1);
  }

  @Test
  void ifTheWatchedSlotHasChangedNothingRuns() {
    Peer client = rig.client();
    Peer watching = watchA(client);
    client.send(multi(set("b", "2"), set("a", "1")) + EXEC).expect(OK + QUEUED + QUEUED);
    watching.expect(multi(set("a", "1"))).send(OK + QUEUED);
    Peer other = queueAtNode0();
    watching.expect(EXEC).send(NIL);
    client.expect(NIL);
    other.expect(DISCARD).send(OK);
    awaitNothingInFlight();
    client.send(call("WATCH a"));
    watching.expect(call("WATCH a")); // the same connection
  }

  @Test
  void aWatchedSlotWithoutCommandsIsAsked() {
    Peer client = rig.client();
    Peer watching = watchA(client);
    client.send(multi(set("b", "2")) + EXEC).expect(OK + QUEUED);
    Peer other = queueAtNode0();
    watching.expect(MULTI + EXEC);
    assertThat(other.pending()).isZero();
    watching.send(OK + "*0\r\n");
    other.expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*1\r\n+OK\r\n");
  }

  @Test
  void keysOfSeveralSlotsAreWatchedAgainAndAskedBeforeExec() {
    Peer client = rig.client();
    Peer a = watchA(client);
    Peer b = watchB(client);
    client.send(multi(set("a", "1"), set("b", "2"), set("c", "3")) + EXEC);
    client.expect(OK + QUEUED.repeat(3));
    Peer blockA = lease(1).expect(call("WATCH a") + multi(set("a", "1"))).send(OK + OK + QUEUED);
    Peer blockB = lease(0).expect(call("WATCH b") + multi(set("b", "2"))).send(OK + OK + QUEUED);
    Peer blockC = lease(0).expect(multi(set("c", "3")));
    assertThat(a.pending()).isZero();
    blockC.send(OK + QUEUED);
    a.expect(MULTI + EXEC).send(OK + "*0\r\n");
    b.expect(MULTI + EXEC);
    assertThat(blockA.pending()).isZero();
    b.send(OK + "*0\r\n");
    blockA.expect(EXEC).send("*1\r\n+OK\r\n");
    blockB.expect(EXEC);
    assertThat(blockC.pending()).isZero();
    blockB.send("*1\r\n+OK\r\n");
    blockC.expect(EXEC).send("*1\r\n+OK\r\n");
    client.expect("*3\r\n+OK\r\n+OK\r\n+OK\r\n");
    awaitNothingInFlight();
    client.send(multi(get("a")) + EXEC);
    node1.expect(multi(get("a")) + EXEC); // nothing is watched any more
  }

  @Test
  void oneWatchOfSeveralSlots() {
    Peer client = rig.client();
    client.send(call("WATCH a b foo"));
    Peer a = lease(1).expect(call("WATCH a")).send(OK);
    Peer b = lease(0).expect(call("WATCH b"));
    Peer foo = lease(1).expect(call("WATCH foo")).send(OK);
    assertThat(client.pending()).isZero();
    b.send(OK);
    client.expect(OK).send(call("UNWATCH")).expect(OK);
    for (Peer each : new Peer[] {a, b, foo}) {
      each.expect(call("UNWATCH")).send(OK);
    }
    awaitNothingInFlight();
  }

  @Test
  void ifOneOfSeveralHasChangedNothingRuns() {
    Peer client = rig.client();
    Peer a = watchA(client);
    Peer b = watchB(client);
    client.send(multi(set("a", "1"), set("c", "3")) + EXEC).expect(OK + QUEUED + QUEUED);
    Peer blockA = lease(1).expect(call("WATCH a") + multi(set("a", "1"))).send(OK + OK + QUEUED);
    Peer blockC = lease(0).expect(multi(set("c", "3"))).send(OK + QUEUED);
    a.expect(MULTI + EXEC).send(OK + "*0\r\n");
    b.expect(MULTI + EXEC).send(OK + NIL);
    client.expect(NIL);
    blockA.expect(DISCARD).send(OK);
    blockC.expect(DISCARD).send(OK);
    awaitNothingInFlight();
  }

  /** A change between the question and EXEC cannot be undone. The client learns what ran. */
  @Test
  void aChangeInTheLastMomentHasErrorsInItsPlaces() {
    Peer client = rig.client();
    Peer a = watchA(client);
    Peer b = watchB(client);
    client.send(multi(set("a", "1"), set("b", "2"), set("c", "3")) + EXEC);
    client.expect(OK + QUEUED.repeat(3));
    Peer blockA = lease(1).expect(call("WATCH a") + multi(set("a", "1"))).send(OK + OK + QUEUED);
    Peer blockB = lease(0).expect(call("WATCH b") + multi(set("b", "2"))).send(OK + OK + QUEUED);
    Peer blockC = lease(0).expect(multi(set("c", "3"))).send(OK + QUEUED);
    a.expect(MULTI + EXEC).send(OK + "*0\r\n");
    b.expect(MULTI + EXEC).send(OK + "*0\r\n");
    blockA.expect(EXEC).send("*1\r\n+OK\r\n");
    blockB.expect(EXEC).send(NIL);
    client.expect(
        "*3\r\n+OK\r\n"
            + PARTIAL
            + "a watched key has changed\r\n"
            + PARTIAL
            + "those of a slot with watched keys did not all run\r\n");
    blockC.expect(DISCARD).send(OK);
    awaitNothingInFlight();
  }

  @Test
  void aLostWatchOfOneSlotCountsAsAChange() {
    Peer client = rig.client();
    watchA(client);
    watchB(client).close();
    await().until(() -> stats(0).exclusive() == 0);
    client.send(multi(set("a", "1")) + EXEC).expect(OK + QUEUED + NIL);
  }

  @Test
  void aWatchedSlotThatMovesCountsAsAChange() {
    Peer client = rig.client();
    Peer watching = watchA(client);
    client.send(multi(set("a", "1"), set("b", "2")) + EXEC).expect(OK + QUEUED + QUEUED);
    watching
        .expect(multi(set("a", "1")))
        .send(OK + redirect("MOVED", Rig.SLOT_A, 0))
        .expect(DISCARD)
        .send(OK);
    Peer other = queueAtNode0();
    client.expect(NIL);
    other.expect(DISCARD);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UNWATCH", "RESET", "DISCARD", "HELLO 3", "close"})
  void everyEndGivesAllConnectionsBack(String end) {
    Peer client = rig.client();
    Peer a = watchA(client);
    Peer b = watchB(client);
    switch (end) {
      case "close" -> client.close();
      case "DISCARD" -> client.send(MULTI + set("c", "1") + DISCARD).expect(OK + QUEUED + OK);
      default -> client.send(call(end));
    }
    if (end.equals("HELLO 3")) {
      a.expectClosed();
      b.expectClosed();
    } else {
      a.expect(call("UNWATCH")).send(OK);
      b.expect(call("UNWATCH")).send(OK);
    }
    awaitNothingInFlight();
    assertThat(stats(0).exclusive()).isEqualTo(end.equals("HELLO 3") ? 0 : 1);
  }
}
