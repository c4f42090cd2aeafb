package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MSETNX and MSETEX over several slots, step by step, at nodes whose every byte the test sends. */
class AllOrNothingTest {

  private static final String MULTI = call("MULTI");
  private static final String EXEC = call("EXEC");
  private static final String DISCARD = call("DISCARD");
  private static final String OK = "+OK\r\n";
  private static final String QUEUED = "+QUEUED\r\n";
  private static final String NIL = "*-1\r\n";
  private static final String ONE = ":1\r\n";
  private static final String ZERO = ":0\r\n";

  private final Rig rig = new RigOptions().emulatesCrossSlot(1_000).start();

  @SuppressWarnings("NullAway.Init")
  private Peer node0; // the shared connection

  @BeforeEach
  void connect() {
    rig.connected(1);
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

  private static final String LOOK_A = call("WATCH a") + call("EXISTS a");
  private static final String LOOK_B = call("WATCH b") + call("EXISTS b");

  @Test
  void allKeysAreSetIfNoneExists() {
    Peer client = rig.client();
    client.send(call("MSETNX a 1 b 2") + get("b"));
    Peer a = lease(1).expect(LOOK_A).send(OK + ZERO);
    Peer b = lease(0).expect(LOOK_B);
    assertThat(a.pending()).isZero();
    b.send(OK + ZERO);
    a.expect(MULTI + call("MSETNX a 1"));
    b.expect(MULTI + call("MSETNX b 2")).send(OK + QUEUED);
    assertThat(b.pending()).isZero();
    a.send(OK + QUEUED);
    a.expect(EXEC).send("*1\r\n" + ONE);
    b.expect(EXEC);
    assertThat(node0.pending()).isZero(); // later requests wait
    b.send("*1\r\n" + ONE);
    client.expect(ONE);
    node0.expect(get("b"));
  }

  @Test
  void nothingIsSetIfOneExists() {
    Peer client = rig.client();
    client.send(call("MSETNX a 1 b 2"));
    Peer a = lease(1).expect(LOOK_A).send(OK + ZERO);
    Peer b = lease(0).expect(LOOK_B).send(OK + ONE);
    client.expect(ZERO);
    a.expect(call("UNWATCH")).send(OK);
    b.expect(call("UNWATCH")).send(OK);
    awaitNothingInFlight();
    assertThat(stats(0).exclusive() + stats(1).exclusive()).isEqualTo(2);
  }

  private Peer[] queued(Peer client) {
    client.send(call("MSETNX a 1 b 2"));
    Peer a = lease(1).expect(LOOK_A).send(OK + ZERO);
    Peer b = lease(0).expect(LOOK_B).send(OK + ZERO);
    a.expect(MULTI + call("MSETNX a 1")).send(OK + QUEUED);
    b.expect(MULTI + call("MSETNX b 2")).send(OK + QUEUED);
    a.expect(EXEC);
    b.expect(EXEC);
    return new Peer[] {a, b};
  }

  @Test
  void whatWasSetIsUndoneIfAnotherClientWasFaster() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[0].send("*1\r\n" + ONE);
    nodes[1].send(NIL);

    nodes[0].expect(call("WATCH a") + call("MGET a")).send(OK + "*1\r\n" + Wire.bulk("1"));
    nodes[0].expect(MULTI + call("DEL a") + EXEC).send(OK + QUEUED + "*1\r\n" + ONE);

    nodes[0].expect(LOOK_A).send(OK + ZERO);
    nodes[1].expect(LOOK_B).send(OK + ONE);
    client.expect(ZERO);
  }

  @Test
  void whatAnotherClientHasChangedSinceIsNotUndone() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[0].send("*1\r\n" + ONE);
    nodes[1].send(NIL);

    nodes[0].expect(call("WATCH a") + call("MGET a")).send(OK + "*1\r\n" + Wire.bulk("other"));

    nodes[0].expect(LOOK_A).send(OK + ONE);
    nodes[1].expect(LOOK_B).send(OK + ONE);
    client.expect(ZERO);
  }

  @Test
  void aChangeWhileUndoingIsSeen() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[0].send("*1\r\n" + ONE);
    nodes[1].send(NIL);
    nodes[0].expect(call("WATCH a") + call("MGET a")).send(OK + "*1\r\n" + Wire.bulk("1"));
    nodes[0].expect(MULTI + call("DEL a") + EXEC).send(OK + QUEUED + NIL);

    nodes[0].expect(call("WATCH a") + call("MGET a")).send(OK + "*1\r\n$-1\r\n");

    nodes[0].expect(LOOK_A).send(OK + ZERO);
    nodes[1].expect(LOOK_B).send(OK + ONE);
    client.expect(ZERO);
  }

  @Test
  void ifBothLostTheRaceItBeginsAgain() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[0].send(NIL);
    nodes[1].send(NIL);
    nodes[0].expect(LOOK_A).send(OK + ONE);
    nodes[1].expect(LOOK_B).send(OK + ZERO);
    client.expect(ZERO);
  }

  @Test
  void anErrorWhileQueueingSetsNothing() {
    Peer client = rig.client();
    client.send(call("MSETNX a 1 b 2"));
    Peer a = lease(1).expect(LOOK_A).send(OK + ZERO);
    Peer b = lease(0).expect(LOOK_B).send(OK + ZERO);
    a.expect(MULTI + call("MSETNX a 1")).send(OK + "-OOM no memory\r\n");
    b.expect(MULTI + call("MSETNX b 2")).send(OK + QUEUED);
    a.expect(DISCARD).send(OK);
    b.expect(DISCARD).send(OK);
    client.expect("-OOM no memory\r\n");
    awaitNothingInFlight();
  }

  @Test
  void aConnectionLostAtTheEndLeavesItUnknown() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[0].send("*1\r\n" + ONE);
    nodes[1].close();
    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
    awaitNothingInFlight();
  }

  @Test
  void whatCannotBeUndoneIsSaid() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[0].send("*1\r\n" + ONE);
    nodes[1].send(NIL);
    nodes[0].expect(call("WATCH a") + call("MGET a")).close();
    client.expect("-TXPARTIAL some of the keys were set, and could not be set back\r\n");
  }

  @Test
  void aSlotThatMovedBeforeExecIsSeenAgain() {
    Peer client = rig.client();
    Peer[] nodes = queued(client);
    nodes[1].send("-MOVED " + Rig.SLOT_B + " 127.0.0.1:" + rig.address(1).port() + "\r\n");
    nodes[0].send("*1\r\n" + ONE);
    nodes[0].expect(call("WATCH a") + call("MGET a")).send(OK + "*1\r\n" + Wire.bulk("1"));
    nodes[0].expect(MULTI + call("DEL a") + EXEC).send(OK + QUEUED + "*1\r\n" + ONE);
    nodes[0].expect(LOOK_A).send(OK + ONE);
    lease(1).expect(LOOK_B).send(OK + ZERO);
    client.expect(ZERO);
  }

  @Test
  void wrongArgumentsAreAnErrorAsAtAServer() {
    Peer client = rig.client();
    client.send(call("MSETNX a 1 b"));
    client.expect("-ERR wrong number of arguments for 'msetnx' command\r\n");
  }

  @Test
  void nothingIsSetForAClientThatDisconnectsBeforeTheEnd() {
    Peer client = rig.client();
    client.send(call("MSETNX a 1 b 2"));
    Peer a = lease(1).expect(LOOK_A).send(OK + ZERO);
    Peer b = lease(0).expect(LOOK_B).send(OK + ZERO);
    a.expect(MULTI + call("MSETNX a 1")).send(OK + QUEUED);
    b.expect(MULTI + call("MSETNX b 2"));
    client.reset();
    rig.awaitClients(0);
    b.send(OK + QUEUED).expect(DISCARD).send(OK);
    a.expect(DISCARD).send(OK);
    awaitNothingInFlight();
  }

  private static String dump(String key) {
    return call("WATCH " + key) + call("DUMP " + key) + call("PTTL " + key);
  }

  @Test
  void formerValuesComeBackIfAllKeysHadToExist() {
    Peer client = rig.client();
    client.send(call("MSETEX 2 a 1 b 2 EX 10 XX"));
    Peer a = lease(1).expect(dump("a")).send(OK + Wire.bulk("old") + ":500\r\n");
    Peer b = lease(0).expect(dump("b")).send(OK + Wire.bulk("older") + ":-1\r\n");
    a.expect(MULTI + call("MSETEX 1 a 1 EX 10 XX")).send(OK + QUEUED);
    b.expect(MULTI + call("MSETEX 1 b 2 EX 10 XX")).send(OK + QUEUED);
    a.expect(EXEC).send(NIL);
    b.expect(EXEC).send("*1\r\n" + ONE);

    b.expect(call("WATCH b") + call("MGET b")).send(OK + "*1\r\n" + Wire.bulk("2"));
    b.expect(MULTI + call("RESTORE b 0 older REPLACE") + EXEC).send(OK + QUEUED + "*1\r\n" + OK);

    a.expect(dump("a")).send(OK + "$-1\r\n:-2\r\n");
    b.expect(dump("b")).send(OK + Wire.bulk("older") + ":-1\r\n");
    client.expect(ZERO);
  }

  @Test
  void whatIsUndoneMayBeLargerThanWhatACommandCollects() {
    String large = "x".repeat(2_000);
    Peer client = rig.client();
    client.send(call("MSETNX a " + large + " b 2"));
    Peer a = lease(1).expect(LOOK_A).send(OK + ZERO);
    Peer b = lease(0).expect(LOOK_B).send(OK + ZERO);
    a.expect(MULTI + call("MSETNX a " + large)).send(OK + QUEUED);
    b.expect(MULTI + call("MSETNX b 2")).send(OK + QUEUED);
    a.expect(EXEC).send("*1\r\n" + ONE);
    b.expect(EXEC).send(NIL);

    a.expect(call("WATCH a") + call("MGET a")).send(OK + "*1\r\n" + Wire.bulk(large));
    a.expect(MULTI + call("DEL a") + EXEC).send(OK + QUEUED + "*1\r\n" + ONE);

    a.expect(LOOK_A).send(OK + ZERO);
    b.expect(LOOK_B).send(OK + ONE);
    client.expect(ZERO);
  }

  @Test
  void formerValuesThatAreTooLargeAreAnError() {
    Peer client = rig.client();
    client.send(call("MSETEX 2 a 1 b 2 XX"));
    lease(1).expect(dump("a")).send(OK + Wire.bulk("x".repeat(900)) + ":-1\r\n");
    lease(0).expect(dump("b")).send(OK + Wire.bulk("x".repeat(900)) + ":-1\r\n");
    client.expect(
        "-OVERLOADED the command collects values of more than 1000 bytes from several slots"
            + " (cross-slot-max-bytes); it did not run\r\n");
  }
}
