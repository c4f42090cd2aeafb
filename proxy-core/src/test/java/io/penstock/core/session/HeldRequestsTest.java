package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.FailoverHoldReport;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The failover hold: requests whose node is unavailable wait, in order, until a master takes over.
 */
@ParameterizedClass
@ValueSource(strings = {"async", "sync"})
class HeldRequestsTest extends EitherDispatcher {

  private static final Duration LONG = Duration.ofSeconds(100);
  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(3);
  private static final String UNAVAILABLE =
      "-UNAVAILABLE no connection to the node in time; the command did not run\r\n";
  private static final String DOWN = "-CLUSTERDOWN The cluster is down\r\n";

  @Override
  RigOptions options() {
    return options(LONG);
  }

  @Override
  int turnConnections() {
    return 4;
  }

  private static RigOptions options(Duration hold) {
    return new RigOptions().commandTimeout(COMMAND_TIMEOUT).failoverHold(hold);
  }

  /** Lets the command timeout pass for all requests that have arrived. */
  private void passCommandTimeout() {
    rig().advance(COMMAND_TIMEOUT);
    rig().tick(Duration.ZERO);
  }

  private void awaitHeld(int requests) {
    await()
        .until(
            () -> rig().onLoop(() -> rig().dispatcher().nodes().heldRequests().size()) == requests);
  }

  private HeldStats held() {
    return rig().onLoop(() -> rig().dispatcher().nodes().heldRequests().stats());
  }

  private void kill(int node, Peer... connections) {
    rig().server(node).stopListening();
    for (Peer connection : connections) {
      connection.close();
    }
  }

  /** Publishes that the slot of {@code a} is on node 0. */
  private void promote() {
    SlotMap now = rig().topology().current();
    SlotMap next = rig().onLoop(() -> now.withSlotOn(Rig.SLOT_A, rig().address(0)));
    rig().publish(next);
  }

  @Test
  void unsentRequestsGoToTheNewMaster() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    passCommandTimeout();
    assertThat(client.pending()).isZero();

    promote();

    Peer master = accept(0).expect(set("a", "1"));
    rig().tick(Duration.ZERO); // the timeout for its reply has just begun
    master.send("+OK\r\n");
    client.expect("+OK\r\n");
    awaitHeld(0);
    assertThat(held().count(HeldOutcome.FAILED)).isZero();
  }

  @Test
  void aReroutedRequestIsReportedForTheNodeThatItWaitedForFirst() {
    List<FailoverHoldReport> reports = new ArrayList<>();
    ProxyEvents events =
        new ProxyEvents() {
          @Override
          public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
            assertThat(node).isEqualTo(rig().address(1));
            reports.add(report);
          }
        };
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    report(events); // long enough held to be reported

    promote(); // it is held for the new master as well, until the connection is made
    accept(0).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
    report(events);

    assertThat(reports)
        .singleElement()
        .satisfies(report -> {
          assertThat(report.requests()).isEqualTo(1);
          assertThat(report.served()).isEqualTo(1);
          assertThat(report.failed()).isZero();
        });
  }

  @Test
  void aHoldSaysWhatTheNodeAnswered() {
    List<String> seen = new ArrayList<>();
    ProxyEvents events =
        new ProxyEvents() {
          @Override
          public void failoverHoldBegan(@Nullable Endpoint node, @Nullable String rejection) {
            seen.add("began: " + rejection);
          }

          @Override
          public void failoverHoldEnded(@Nullable Endpoint node, FailoverHoldReport report) {
            seen.add("ended: " + report.rejection() + ", " + report.served());
          }
        };
    Peer client = rig().client();
    client.send(set("a", "0"));
    Peer node = accept(1).expect(set("a", "0")).send("+OK\r\n");
    client.expect("+OK\r\n");
    report(events); // the first request was held until the connection was made
    client.send(set("a", "1"));
    node.expect(set("a", "1")).send("-CLUSTERDOWN The cluster is down\r\n");
    awaitHeld(1);
    report(events);
    assertThat(seen).containsExactly("began: CLUSTERDOWN The cluster is down");

    node.expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
    report(events);
    assertThat(seen).last().isEqualTo("ended: CLUSTERDOWN The cluster is down, 1");
  }

  @Test
  void aRequestWithoutAnOwnerIsNotHeldForTheNodeOfAnEarlierOne() {
    List<Optional<Endpoint>> nodes = new ArrayList<>();
    ProxyEvents events =
        new ProxyEvents() {
          @Override
          public void failoverHoldBegan(@Nullable Endpoint node, @Nullable String rejection) {
            nodes.add(Optional.ofNullable(node));
          }
        };
    Peer client = rig().client();
    client.send(set("a", "1"));
    accept(1).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
    rig().publish(SlotMap.EMPTY);

    client.send(set("a", "2"));
    awaitHeld(1);
    report(events);

    assertThat(nodes).containsExactly(Optional.empty());
  }

  private void report(ProxyEvents events) {
    long later = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
    rig()
        .onLoop(() -> {
          rig().dispatcher().nodes().heldRequests().tick(later, events);
          return null;
        });
  }

  @Test
  void unsentRequestsGoToTheNodeWhenItIsBack() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    passCommandTimeout();

    rig().server(1).listenAgain();

    Peer master = accept(1).expect(set("a", "1"));
    rig().tick(Duration.ZERO);
    master.send("+OK\r\n");
    client.expect("+OK\r\n");
    awaitHeld(0);
    assertThat(held().count(HeldOutcome.SERVED)).isPositive();
  }

  @Test
  void theReplyTimeoutStartsWhenTheRequestIsSent() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(get("a"));
    awaitHeld(1);
    passCommandTimeout();
    rig().server(1).listenAgain();
    accept(1).expect(get("a"));

    passCommandTimeout();

    client.expect("-TIMEOUT the node did not answer in time\r\n");
  }

  @Test
  void onConnectionLossReadsAreHeldAndWritesFail() {
    Peer client = rig().client();
    client.send(set("a", "1") + get("a"));
    Peer master = accept(1).expect(set("a", "1") + get("a"));

    kill(1, master);

    client.expect(CONNLOST);
    passCommandTimeout();
    promote();
    accept(0).expect(get("a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    awaitHeld(0);
  }

  @Test
  void heldRequestsFailAtTheirDeadline() {
    start(options(COMMAND_TIMEOUT.multipliedBy(6)));
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    passCommandTimeout();
    assertThat(client.pending()).isZero();

    rig().advance(COMMAND_TIMEOUT.multipliedBy(5));
    rig().tick(Duration.ZERO);

    client.expect(UNAVAILABLE);
    awaitHeld(0);
    assertThat(held().count(HeldOutcome.FAILED)).isEqualTo(1);
  }

  @Test
  void aHeldRequestKeepsItsPlaceWhenTheHoldIsFull() {
    start(options(LONG).maxHeld(1));
    Peer client = rig().client();
    client.send(get("a"));
    Peer master = accept(1).expect(get("a"));

    kill(1, master);
    awaitHeld(1);
    passCommandTimeout();
    promote();

    accept(0).expect(get("a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    assertThat(held().count(HeldOutcome.REJECTED)).isZero();
  }

  @Test
  void requestsAreRejectedWhenTheHoldIsFull() {
    start(options(LONG).maxHeld(1).named("orders"));
    rig().server(1).stopListening();
    Peer first = rig().client();
    first.send(set("a", "1"));
    awaitHeld(1);

    Peer second = rig().client();
    try (LogLines log = LogLines.of("backend.HeldRequests")) {
      second.send(set("foo", "1"));

      second.expect(
          "-OVERLOADED too many commands wait for this node; the command did not run\r\n");
      assertThat(log.get())
          .containsExactly(
              "Upstream orders: The failover hold of an event loop is full with 1 requests: 1 rejected"
                  + " since the last such line");
    }
    assertThat(first.pending()).isZero();
    assertThat(held().count(HeldOutcome.REJECTED)).isEqualTo(1);
    assertThat(held().now()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-CLUSTERDOWN The cluster is down\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-TRYAGAIN Multiple keys request during rehashing of slot\r\n"
      })
  void retryableErrorsAreRetriedDuringTheHold(String refusal) {
    Peer client = rig().client();
    client.send(set("a", "1"));
    Peer node = accept(1).expect(set("a", "1"));
    rig().advance(COMMAND_TIMEOUT);
    for (int i = 0; i < 4; i++) {
      node.send(refusal).expect(set("a", "1"));
    }
    rig().tick(Duration.ZERO);
    assertThat(rig().topology().calls()).contains("refresh HELD");

    node.send("+OK\r\n");

    client.expect("+OK\r\n");
    awaitHeld(0);
    assertThat(held().count(HeldOutcome.SERVED)).isPositive();
  }

  @Test
  void aRedirectLoopEndsAsUnavailable() {
    start(options(Duration.ZERO));
    Peer client = rig().client();
    client.send(get("a"));
    Peer node = accept(1);
    String moved = "-MOVED 15495 127.0.0.1:" + rig().address(1).port() + "\r\n";
    Thread.ofVirtual()
        .start(() -> {
          while (node.read(get("a").length()).equals(get("a"))) {
            node.send(moved);
          }
        });
    await().until(() -> rig().topology().calls().size() > 5);

    rig().advance(COMMAND_TIMEOUT);

    client.expect("-UNAVAILABLE the slot is being migrated; the command did not run\r\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void heldRequestsOfADisconnectedClientAreNotSent(boolean altogether) {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    Session session = rig().newestSession();

    if (altogether) {
      client.reset();
    } else {
      client.finishSending();
    }
    await().until(() -> rig().onLoop(session::isInputEnded));
    rig().server(1).listenAgain();

    Peer other = rig().client();
    other.send(get("foo"));
    accept(1).expect(get("foo")).send("$-1\r\n");
    other.expect("$-1\r\n");
    if (!altogether) {
      client.expect(UNAVAILABLE);
    }
    awaitHeld(0);
    await().until(() -> held().count(HeldOutcome.DISCONNECTED) == 1);
  }

  @Test
  void requestsOfADisconnectedClientAreNotRerouted() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    Session session = rig().newestSession();
    client.finishSending();
    await().until(() -> rig().onLoop(session::isInputEnded));

    promote();

    client.expect(UNAVAILABLE);
    Peer other = rig().client();
    other.send(get("a"));
    accept(0).expect(get("a")).send("$-1\r\n");
    other.expect("$-1\r\n");
  }

  @Test
  void otherNodesAreServedDuringAHold() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1") + get("b"));
    Peer other = rig().client();
    other.send(get("b"));
    Peer first = accept(0);

    if (isSync()) {
      Peer second = accept(0);
      first.expect(get("b")).send("$1\r\n1\r\n");
      second.expect(get("b")).send("$1\r\n1\r\n");
    } else {
      first.expect(get("b") + get("b")).send("$1\r\n1\r\n$1\r\n1\r\n");
    }

    other.expect("$1\r\n1\r\n");
    assertThat(client.pending()).isZero();
  }

  @Test
  void aLaterRequestWaitsBehindAReroutedHeldOne() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    promote();
    Peer master = accept(0).expect(set("a", "1"));

    client.send(set("a", "2"));

    master.send("+1\r\n").expect(set("a", "2")).send("+2\r\n"); // behind it, never before
    client.expect("+1\r\n+2\r\n");
  }

  @Test
  void aWriteWaitsBehindAHeldRead() {
    Peer client = rig().client();
    client.send(get("a"));
    Peer master = accept(1).expect(get("a"));
    kill(1, master);
    awaitHeld(1);
    client.send(set("a", "2"));
    promote();

    Peer next = accept(0).expect(get("a"));
    Peer other = rig().client();
    other.send(get("b"));
    Peer others = isSync() ? accept(0) : next;
    others.expect(get("b"));
    next.send(isSync() ? "$1\r\n1\r\n" : "$1\r\n1\r\n$-1\r\n");
    next.expect(set("a", "2")).send("+2\r\n");
    if (isSync()) {
      others.send("$-1\r\n"); // not earlier: its connection would be free for the write, too
    }

    client.expect("$1\r\n1\r\n+2\r\n");
    other.expect("$-1\r\n");
  }

  @Test
  void aSplitRequestIsHeldForItsUnsentPart() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(call("MSET b 1 a 1") + set("b", "2"));
    Peer lower = accept(0).expect(call("MSET b 1") + set("b", "2"));
    long before = rig().bytesReceivedFrom(0);
    lower.send("+OK\r\n+2\r\n");
    awaitHeld(1);
    await().until(() -> rig().bytesReceivedFrom(0) > before + "+OK\r\n".length());
    passCommandTimeout();
    promote();

    lower.expect(call("MSET a 1")).send("+OK\r\n");

    client.expect("+OK\r\n+2\r\n");
  }

  @Test
  void aTransactionIsHeldAsAWhole() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(call("MULTI") + set("a", "1") + call("EXEC") + get("a"));
    client.expect("+OK\r\n+QUEUED\r\n");
    awaitHeld(2);
    passCommandTimeout();
    promote();

    Peer master = accept(0).expect(call("MULTI") + set("a", "1") + call("EXEC"));
    master.send("+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n").expect(get("a")).send("$1\r\n1\r\n");

    client.expect("*1\r\n+OK\r\n$1\r\n1\r\n");
  }

  @Test
  void watchIsHeld() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(call("WATCH a"));
    awaitHeld(1);
    rig().advance(COMMAND_TIMEOUT);

    promote();

    Peer own = isSync() ? acceptOwn(0) : null;
    if (own == null) {
      rig().accept(0);
      own = acceptOwn(0);
    }
    own.expect(call("WATCH a"));
    rig().tick(Duration.ZERO);
    own.send("+OK\r\n");
    client.expect("+OK\r\n");
    awaitHeld(0);
  }

  @Test
  void blockingCallsAreHeld() {
    rig().server(1).stopListening();
    Peer client = rig().client();
    client.send(call("BLPOP a 0"));
    awaitHeld(1);
    passCommandTimeout();

    promote();

    accept(0)
        .expect(call("MULTI") + call("BLPOP a 0.001") + call("EXEC"))
        .send("+OK\r\n+QUEUED\r\n*1\r\n*2\r\n$1\r\na\r\n$1\r\nv\r\n");
    client.expect("*2\r\n$1\r\na\r\n$1\r\nv\r\n");
  }

  @Test
  void broadcastsAreHeldUntilAllSlotsAreServed() {
    SlotMap whole = rig().topology().current();
    rig().publish(SlotMap.EMPTY);
    Peer client = rig().client();
    client.send(call("DBSIZE"));
    awaitHeld(1);
    passCommandTimeout();

    rig().publish(whole);

    Peer lower = accept(0).expect(call("DBSIZE"));
    Peer upper = accept(1).expect(call("DBSIZE"));
    rig().tick(Duration.ZERO);
    lower.send(":1\r\n");
    upper.send(":2\r\n");
    client.expect(":3\r\n");
    awaitHeld(0);
  }

  @Test
  void requestsForASlotWithoutOwnerAreHeld() {
    SlotMap whole = rig().topology().current();
    rig().publish(SlotMap.EMPTY);
    Peer client = rig().client();
    client.send(set("a", "1"));
    awaitHeld(1);
    passCommandTimeout();

    rig().publish(whole);

    Peer node = accept(1).expect(set("a", "1"));
    rig().tick(Duration.ZERO);
    node.send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void aRedirectToADeadNodeIsSentToTheOwnerAgain() {
    Peer client = rig().client();
    client.send(set("a", "1"));
    Peer owner = accept(1).expect(set("a", "1"));
    rig().server(0).stopListening();
    owner.send("-ASK 15495 127.0.0.1:" + rig().address(0).port() + "\r\n");
    awaitHeld(1);
    if (!isSync()) { // with sync the owner gets the request once the connect has failed
      passCommandTimeout();
    }

    owner.expect(set("a", "1")).send("+OK\r\n");

    client.expect("+OK\r\n");
    awaitHeld(0);
  }

  @Test
  void requestsWithRetryableErrorsKeepTheirOrder() {
    Peer client = rig().client();
    client.send(set("a", "1") + set("a", "2"));
    Peer node = accept(1).expect(set("a", "1") + set("a", "2"));
    rig().advance(COMMAND_TIMEOUT);

    node.send(DOWN + DOWN);

    node.expect(Requests.PING).send("+PONG\r\n").expect(set("a", "1")).send(DOWN);
    node.expect(Requests.PING).send("+PONG\r\n").expect(set("a", "1"));
    node.send("+1\r\n").expect(set("a", "2")).send("+2\r\n");
    client.expect("+1\r\n+2\r\n");
    awaitHeld(0);
  }
}
