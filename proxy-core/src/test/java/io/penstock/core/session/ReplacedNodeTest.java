package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.upstream.Shard;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Node 1 owes replies and is silent, and node 0 takes over all or a part of its slots. */
@ParameterizedClass
@ValueSource(strings = {"async", "sync"})
class ReplacedNodeTest extends EitherDispatcher {

  private static final Duration SUSPICIOUS = Duration.ofMillis(600);
  private static final Duration LATE_REPLIES = Duration.ofMillis(300);
  private static final Duration LATER = SUSPICIOUS.plus(LATE_REPLIES);

  @Override
  RigOptions options() {
    return new RigOptions().failoverHold(Duration.ofSeconds(200));
  }

  @Override
  int turnConnections() {
    return 1;
  }

  /** Lets node 1 owe replies for long. */
  private void beSilent() {
    rig().tick(SUSPICIOUS);
    rig().tick(SUSPICIOUS);
  }

  /** Makes node 0 the master of all slots. */
  private void replaceNode() {
    rig().publish(successor());
  }

  private SlotMap successor() {
    return new SlotMap.Builder()
        .shard(new Shard(rig().address(0), List.of(), 3))
        .range(0, 16_383)
        .build();
  }

  @Test
  void aTickAdoptsAMissedSlotMap() {
    Peer client = rig().client();
    rig().publishSilently(successor());

    rig().tick(Duration.ZERO);

    client.send(get("a"));
    accept(0).expect(get("a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
  }

  @Test
  void aSilentNodeTriggersARefresh() {
    Peer client = rig().client();
    client.send(set("a", "1"));
    Peer node = accept(1).expect(set("a", "1"));
    rig().tick(SUSPICIOUS);
    assertThat(rig().topology().calls()).isEmpty();

    rig().tick(SUSPICIOUS);

    assertThat(rig().topology().calls()).containsOnly("refresh NO_REPLY");
    node.send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void aTimeoutTriggersARefresh() {
    Peer client = rig().client();
    client.send(get("a"));
    accept(1).expect(get("a"));

    rig().tick(Duration.ofSeconds(101));

    client.expect("-TIMEOUT the node did not answer in time\r\n");
    assertThat(rig().topology().calls()).contains("refresh NO_REPLY");
  }

  @Test
  void aSilentReplacedNodeIsDisconnected() {
    Peer writer = rig().client();
    writer.send(set("a", "1"));
    Peer old = accept(1).expect(set("a", "1"));
    beSilent();
    replaceNode();
    assertThat(writer.pending()).isZero();

    rig().tick(LATER);

    writer.expect(CONNLOST);
    old.expectClosed();
    writer.send(set("a", "2"));
    accept(0).expect(set("a", "2")).send("+OK\r\n");
    writer.expect("+OK\r\n");
  }

  @Test
  void readsOfASilentNodeAreSentToTheNewMaster() {
    Peer reader = rig().client();
    reader.send(get("a"));
    accept(1).expect(get("a"));
    beSilent();
    replaceNode();

    rig().tick(LATER);

    accept(0).expect(get("a")).send("$1\r\n1\r\n");
    reader.expect("$1\r\n1\r\n");
  }

  @Test
  void lateRepliesToWritesAreNotForwarded() {
    Peer writer = rig().client();
    writer.send(set("a", "1"));
    Peer old = accept(1).expect(set("a", "1"));
    beSilent();
    replaceNode();

    old.send("+OK\r\n");

    writer.expect(CONNLOST);
    old.expectClosed();
  }

  @Test
  void redirectsInTimeAreFollowed() {
    Peer writer = rig().client();
    writer.send(set("a", "1") + set("foo", "2"));
    Peer old = accept(1).expect(set("a", "1") + set("foo", "2"));
    beSilent();
    replaceNode();

    String to = " 127.0.0.1:" + rig().address(0).port() + "\r\n";
    old.send("-MOVED 15495" + to + "-MOVED 12182" + to);

    accept(0).expect(set("a", "1") + set("foo", "2")).send("+OK\r\n+OK\r\n");
    writer.expect("+OK\r\n+OK\r\n");
  }

  @Test
  void aReplacedNodeThatAnswersStaysConnected() {
    Peer writer = rig().client();
    writer.send(set("a", "1"));
    Peer old = accept(1).expect(set("a", "1"));
    replaceNode();
    rig().tick(LATE_REPLIES);
    rig().tick(LATE_REPLIES);

    old.send("+OK\r\n");

    writer.expect("+OK\r\n");
  }

  @Test
  void aSilentNodeThatIsStillAMasterStaysConnected() {
    Peer writer = rig().client();
    writer.send(set("a", "1"));
    Peer old = accept(1).expect(set("a", "1"));
    beSilent();
    SlotMap now = rig().topology().current();
    rig().publish(now.withSlotOn(Rig.SLOT_A, rig().address(0)));
    rig().tick(LATER);

    old.send("+OK\r\n");

    writer.expect("+OK\r\n");
  }

  @Test
  void waitingRequestsGoToTheNewMaster() {
    Peer first = rig().client();
    first.send(set("a", "1"));
    Peer old = accept(1).expect(set("a", "1"));
    Peer second = rig().client();
    if (isSync()) { // there is only one connection
      second.send(set("a", "2"));
    }
    beSilent();
    replaceNode();
    rig().tick(LATER);
    first.expect(CONNLOST);
    old.expectClosed();

    if (!isSync()) {
      second.send(set("a", "2"));
    }

    accept(0).expect(set("a", "2")).send("+OK\r\n");
    second.expect("+OK\r\n");
  }

  @Test
  void requestsWaitingForAHandshakeGoToTheNewMaster() {
    Peer client = rig().client();
    client.send(set("a", "1"));
    rig().acceptUnanswered(1).expect(isSync() ? NAMING + call("CLIENT ID") : NAMING);
    replaceNode();
    rig().tick(LATER);

    accept(0).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  /** Otherwise the old master would run them, and lose them, if it came back at this moment. */
  @Test
  void requestsLeaveAHandshakeAsSoonAsTheNodeIsReplaced() {
    Peer client = rig().client();
    client.send(set("a", "1"));
    Peer old = rig().acceptUnanswered(1);
    old.expect(isSync() ? NAMING + call("CLIENT ID") : NAMING);

    replaceNode();

    accept(0).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");
    if (isSync()) { // a shared connection may be needed again
      old.expectClosed();
    }
  }

  private Peer block(Peer client) {
    String call = call("BLPOP a 0");
    client.send(call);
    Peer node = accept(1);
    node.read((call("MULTI") + call("BLPOP a 0.001") + call("EXEC")).length());
    node.send("+OK\r\n+QUEUED\r\n*1\r\n*-1\r\n");
    acceptOwn(1).expect(call);
    return node;
  }

  /** Accepts the proxy's shared connection to node 1. */
  private Peer shared(Peer node) {
    if (!isSync()) {
      return node;
    }
    Peer made = rig().accept(1);
    await().until(() -> rig().countedAt(1).connections() == 3);
    return made;
  }

  @Test
  void callsBlockedAtASilentNodeEnd() {
    Peer client = rig().client();
    Peer node = block(client);
    replaceNode();
    Peer shared = shared(node);
    rig().tick(LATE_REPLIES);
    shared.expect(call("PING"));

    rig().tick(LATER);
    rig().tick(LATER);

    client.expect(CONNLOST);
  }

  @Test
  void callsBlockedAtANodeThatAnswersContinue() {
    Peer client = rig().client();
    Peer node = block(client);
    replaceNode();
    Peer shared = shared(node);
    for (int i = 0; i < 5; i++) {
      rig().tick(LATE_REPLIES);
      shared.expect(call("PING")).send("+PONG\r\n");
      await().until(() -> rig().countedAt(1).inFlight() == 1);
    }

    assertThat(client.pending()).isZero();
  }
}
