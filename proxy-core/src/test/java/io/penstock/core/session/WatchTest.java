package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandTable;
import io.penstock.core.node.Lease;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transaction.Execution;
import io.penstock.core.transaction.Transaction;
import io.penstock.core.transaction.TransactionContext;
import io.penstock.core.transaction.Watch;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WATCH and what ends it, between a client and nodes whose every byte the test sends itself. */
class WatchTest {

  private static final String WATCH = call("WATCH a");
  private static final String UNWATCH = call("UNWATCH");
  private static final String MULTI = call("MULTI");
  private static final String EXEC = call("EXEC");
  private static final String OK = "+OK\r\n";
  private static final String QUEUED = "+QUEUED\r\n";
  private static final String NIL = "*-1\r\n";
  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors.\r\n";

  private static final String HELLO_3 =
      "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n"
          + "$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
          + "$7\r\nmodules\r\n*0\r\n";

  private Rig rig = Rig.cluster();

  @SuppressWarnings("NullAway.Init")
  private Peer node; // the shared connection to node 1

  @BeforeEach
  void connect() {
    node = rig.connected(1);
    rig.accept(0);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private void restart(RigOptions options, int shards) {
    rig.close();
    rig = options.start();
    if (shards == 1) {
      rig.connected(0);
    } else {
      connect();
    }
  }

  private Peer lease(int node) {
    return rig.acceptUnanswered(node).expect(NAMING + call("CLIENT ID")).send("+OK\r\n:77\r\n");
  }

  /** Makes the client watch a key. Returns its leased connection. */
  private Peer watching(Peer client) {
    client.send(WATCH);
    Peer lease = lease(1).expect(WATCH).send(OK);
    client.expect(OK);
    return lease;
  }

  private static String block(String... commands) {
    return MULTI + String.join("", commands) + EXEC;
  }

  private String redirect(String kind, int node) {
    return "-" + kind + " " + Rig.SLOT_A + " 127.0.0.1:" + rig.address(node).port() + "\r\n";
  }

  private NodeStats stats(int node) {
    return rig.onLoop(() ->
        rig.dispatcher().nodes().stats().stream()
            .filter(stats -> stats.node().equals(rig.address(node)))
            .findFirst()
            .orElseThrow());
  }

  @Test
  void aChangedWatchIsNotCountedAsAnError() {
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(block(get("a")));
    lease.expect(block(get("a"))).close();
    client.expect(OK + "+QUEUED\r\n");
    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
    watching(client).close();
    await().until(() -> stats(1).exclusive() == 0);
    client.send(block(get("a"))).expect(OK + "+QUEUED\r\n*-1\r\n");

    assertThat(rig.onLoop(() -> rig.sessions().counters().errors()))
        .containsExactly(entry("CONNLOST", 1L));
  }

  @Test
  void aTransactionRunsOnTheWatchingConnection() {
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(get("a") + WATCH);
    node.expect(get("a")).send("$1\r\n1\r\n");
    lease.expect(WATCH).send(OK);
    client.expect("$1\r\n1\r\n" + OK);

    client.send(block(set("a", "2")) + PING);
    lease.expect(block(set("a", "2"))).send(OK + QUEUED + "*1\r\n+OK\r\n");

    client.expect(OK + QUEUED + "*1\r\n+OK\r\n+PONG\r\n");
    client.send(block(get("a")));
    node.expect(block(get("a"))); // no key is watched any more
    assertThat(stats(1).exclusive()).isEqualTo(1);
  }

  private TransactionContext parts(Session session) {
    return new TransactionContext(
        session.forward(),
        rig.sessions().routes().retryLoop().retryableErrors(),
        session.backpressure(),
        session.intake(),
        session.turnBudget(),
        null);
  }

  @Test
  void anInternalFailureReleasesTheConnection() {
    Peer client = rig.client();
    client.send(PING).expect("+PONG\r\n");
    Session session = rig.newestSession();
    Execution execution =
        rig.onLoop(() -> {
          CommandSpec exec = CommandTable.load().byName("exec");
          TransactionContext parts = parts(session);
          var watch =
              new Watch(parts.clientContext(), parts.retryableErrors(), Rig.SLOT_A, _ -> {});
          var queue = new Transaction(rig.settings().limits(), Rig.SLOT_A);
          var running = new Execution(parts, session.reserve(exec), queue, watch);
          running.prepare(exec, Rig.SLOT_A, queue.takeBlock(), 0);
          Endpoint where = rig.address(1);
          Lease taken = rig.dispatcher().lease(where, running);
          watch.setLease(Objects.requireNonNull(taken), false);
          return running;
        });
    Peer lease = lease(1);
    await().until(() -> stats(1).exclusive() == 1);

    rig.<Boolean>onLoop(() -> execution.recoverFrom(new OutOfMemoryError("thrown by a test")));

    lease.expectClosed();
    client.expectClosed();
    assertThat(stats(1).exclusive()).isZero();
  }

  @Test
  void theNodeDecidesWhetherAKeyHasChanged() {
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(block(PING, set("a", "2")));
    lease.expect(block(set("a", "2"))).send(OK + QUEUED + NIL);
    client.expect(OK + QUEUED + QUEUED + NIL);

    client.send(WATCH);
    lease.expect(WATCH).send(OK); // the same connection
    client.expect(OK).send(block());
    lease.expect(block()).send(OK + "*0\r\n");
    client.expect(OK + "*0\r\n");
  }

  @Test
  void earlierRequestsAreAnsweredFirstAndLaterOnesWait() {
    Peer client = rig.client();
    client.send(set("a", "1") + WATCH + set("a", "2") + block(get("a")) + get("a"));
    node.expect(set("a", "1"));
    assertThat(stats(1).exclusive()).isZero();
    node.send(OK);
    Peer lease = lease(1).expect(WATCH);
    assertThat(node.pending()).isZero();
    lease.send(OK);
    node.expect(set("a", "2"));
    assertThat(lease.pending()).isZero();
    node.send(OK);
    lease.expect(block(get("a")));
    assertThat(node.pending()).isZero();
    lease.send(OK + QUEUED + NIL);
    node.expect(get("a")).send("+v\r\n");
    client.expect(OK + OK + OK + OK + QUEUED + NIL + "+v\r\n");
  }

  @Test
  void unwatchDiscardAndResetReleaseTheConnection() {
    Peer client = rig.client();
    Peer lease = watching(client);
    for (String end : new String[] {UNWATCH, MULTI + call("DISCARD"), call("RESET")}) {
      client.send(end);
      client.expect(end.equals(UNWATCH) ? OK : end.startsWith(MULTI) ? OK + OK : "+RESET\r\n");
      lease.expect(UNWATCH).send(OK);
      await().until(() -> stats(1).inFlight() == 0);
      client.send(WATCH);
      lease.expect(WATCH).send(OK);
      client.expect(OK);
    }
    client.close();
    lease.expect(UNWATCH).send(OK);
    await().until(() -> stats(1).inFlight() == 0);
    assertThat(stats(1).exclusive()).isEqualTo(1);
  }

  @Test
  void unwatchIsAllowedWithoutWatchAndInMulti() {
    Peer client = rig.client();
    client.send(UNWATCH + block(UNWATCH));
    client.expect(OK + OK + QUEUED + "*1\r\n+OK\r\n");
  }

  @Test
  void watchInMultiIsAnErrorThatDoesNotAbort() {
    Peer client = rig.client();
    client.send(block(WATCH));
    client.expect(OK + "-ERR WATCH inside MULTI is not allowed\r\n*0\r\n");
  }

  @Test
  void anAbortedTransactionEndsTheWatch() {
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(block(call("GET")));
    client.expect(OK + "-ERR wrong number of arguments for 'get' command\r\n" + ABORTED);
    lease.expect(UNWATCH);
  }

  @Test
  void watchedKeysMustBeInOneSlot() {
    Peer client = rig.client();
    client.send(call("WATCH a b"));
    client.expect("-CROSSSLOT Keys in request don't hash to the same slot\r\n");
    watching(client);
    client.send(call("WATCH b") + block(get("b")));
    client.expect("-CROSSSLOT Keys that are watched don't hash to the same slot\r\n");
    client.expect(
        OK + "-CROSSSLOT Keys of a transaction don't hash to the same slot\r\n" + ABORTED);
  }

  @Test
  void anExecThatGetsAnErrorStopsWatching() {
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(call("EXEC x"));
    client.expect(
        "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec'"
            + " command\r\n");
    lease.expect(UNWATCH);
  }

  @Test
  void aSingleServerWatchesAnyKeys() {
    restart(new RigOptions().single(), 1);
    Peer client = rig.client();
    client.send(call("WATCH a b"));
    Peer lease = lease(0).expect(call("WATCH a b")).send(OK);
    client.expect(OK).send(call("WATCH c"));
    lease.expect(call("WATCH c")).send(OK);
    client.expect(OK);
  }

  @Test
  void aLostConnectionCountsAsAChange() {
    Peer client = rig.client();
    watching(client).close();
    await().until(() -> stats(1).exclusive() == 0);

    client.send(WATCH + block(get("a")));

    client.expect(OK + OK + QUEUED + NIL);
    Peer lease = watching(client);
    client.send(block(get("a")));
    lease.expect(block(get("a"))).close();
    client.expect(OK + QUEUED);
    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
  }

  @Test
  void aNewOwnerOfTheSlotCountsAsAChange() {
    Peer client = rig.client();
    Peer lease = watching(client);
    rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));

    client.send(block(get("a")));

    client.expect(OK + QUEUED + NIL);
    lease.expect(UNWATCH);
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED", "ASK"})
  void aNodeThatLostTheSlotCountsAsAChange(String kind) {
    SlotMap before = rig.topology().current();
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(block(get("a")));
    lease.expect(block(get("a"))).send(OK + redirect(kind, 0) + ABORTED);
    client.expect(OK + QUEUED + NIL);
    rig.publish(before); // a MOVED is followed

    client.send(WATCH);
    lease.expect(WATCH).send(OK);
    client.expect(OK).send(WATCH);
    lease.expect(WATCH).send(redirect(kind, 0)); // too late for the first one
    client.expect(OK).send(block(get("a"))).expect(OK + QUEUED + NIL);
  }

  @Test
  void watchFollowsMovedAndWaitsForAnOwner() {
    Peer client = rig.client();
    client.send(WATCH);
    Peer old = lease(1).expect(WATCH).send("-CLUSTERDOWN The cluster is down\r\n");
    old.expect(WATCH).send(redirect("MOVED", 0));
    lease(0).expect(WATCH).send(OK);
    client.expect(OK);
  }

  @Test
  void watchAndItsTransactionFollowAsk() {
    Peer client = rig.client();
    client.send(WATCH);
    lease(1).expect(WATCH).send(redirect("ASK", 0));
    Peer importing = lease(0).expect(call("ASKING") + WATCH).send(OK + OK);
    client.expect(OK).send(block(get("a")));
    importing.expect(call("ASKING") + block(get("a")));
    importing.send(OK + OK + QUEUED + "*1\r\n+v\r\n");
    client.expect(OK + QUEUED + "*1\r\n+v\r\n");
  }

  @Test
  void aChangeOfProtocolCountsAsAChange() {
    Peer client = rig.client();
    watching(client);
    client.send(call("HELLO 3") + block(get("a")));
    client.expect(HELLO_3 + OK + QUEUED + "_\r\n");
  }

  @Test
  void watchingConnectionsAreLimited() {
    restart(new RigOptions().exclusiveConnections(1), 2);
    watching(rig.client());
    Peer client = rig.client();
    client.send(WATCH);
    client.expect("-OVERLOADED too many exclusive connections to this node;");
    client.expect(" the command did not run\r\n");
    client.send(block()).expect(OK + "*0\r\n");
  }

  @Test
  void aSilentNodeIsDisconnected() {
    Peer client = rig.client();
    client.send(WATCH + block());
    Peer lease = lease(1).expect(WATCH);
    rig.tick(Duration.ofSeconds(101));
    client.expect("-TIMEOUT the node did not answer in time\r\n" + OK + "*0\r\n");
    lease.expectClosed();
  }

  @Test
  void disconnectingDuringWatchLeavesNothingBehind() {
    Peer client = rig.client();
    client.send(WATCH);
    Peer lease = lease(1).expect(WATCH);
    client.reset();
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
    lease.send(OK).expect(UNWATCH).send(OK);
    await().until(() -> stats(1).inFlight() == 0);
    assertThat(stats(1).exclusive()).isEqualTo(1);
  }

  @Test
  void disconnectingDuringAHeldWatchLeavesNothingBehind() {
    Peer client = rig.client();
    client.send(WATCH);
    lease(1).expect(WATCH).close();
    rig.server(1).stopListening();
    client.reset();
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
    await().until(() -> stats(1).exclusive() == 0);
  }
}
