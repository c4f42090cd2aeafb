package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is special about one thread per client; the integration tests run all other tests with both
 * dispatchers.
 */
class SyncDispatchTest {

  private static final String OVERLOADED =
      "-OVERLOADED too many commands wait for this node; the command did not run\r\n";
  private static final String CONNLOST =
      "-CONNLOST the connection to the node was lost; the command may have run\r\n";
  private static final String TIMEOUT = "-TIMEOUT the node did not answer in time\r\n";

  private Rig rig = new RigOptions().sync(2).start();

  @AfterEach
  void close() {
    rig.close();
  }

  private void restart(RigOptions options) {
    rig.close();
    rig = options.start();
  }

  /** Accepts the proxy's next connection to a node. */
  private Peer accept(int node) {
    return rig.acceptUnanswered(node).expect(NAMING + call("CLIENT ID")).send("+OK\r\n:7\r\n");
  }

  private int connectionsInFlight() {
    return rig.onLoop(() ->
        rig.dispatcher().nodes().stats().stream().mapToInt(node -> (int) node.inFlight()).sum());
  }

  @Test
  void aSlowCommandDelaysNoOtherClient() {
    Peer slow = rig.client();
    slow.send(get("a"));
    Peer busy = accept(1).expect(get("a"));

    Peer quick = rig.client();
    quick.send(get("foo"));
    accept(1).expect(get("foo")).send("$1\r\nf\r\n");
    quick.expect("$1\r\nf\r\n");

    busy.send("$1\r\na\r\n");
    slow.expect("$1\r\na\r\n");
  }

  @Test
  void aBatchUsesOneConnectionPerNodeAndKeepsTheOrder() {
    Peer client = rig.client();
    client.send(get("a") + get("b") + get("foo") + get("c"));
    Peer upper = accept(1).expect(get("a") + get("foo"));
    Peer lower = accept(0).expect(get("b") + get("c"));

    lower.send("$1\r\nb\r\n$1\r\nc\r\n");
    upper.send("$1\r\na\r\n$1\r\nf\r\n");

    client.expect("$1\r\na\r\n$1\r\nb\r\n$1\r\nf\r\n$1\r\nc\r\n");
  }

  @Test
  void theNextBatchUsesTheSameConnection() {
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    client.send(get("foo"));
    Peer other = rig.client();
    other.send(get("a")); // when this one has arrived, the one before has been read, too
    accept(1).expect(get("a")).send("$1\r\n2\r\n");
    other.expect("$1\r\n2\r\n");
    assertThat(node.pending()).isZero();

    node.send("$1\r\n1\r\n").expect(get("foo")).send("$1\r\nf\r\n");

    client.expect("$1\r\n1\r\n$1\r\nf\r\n");
  }

  @Test
  void aReleasedConnectionServesTheNextClient() {
    Peer first = rig.client();
    first.send(get("a"));
    Peer node = accept(1).expect(get("a")).send("$1\r\n1\r\n");
    first.expect("$1\r\n1\r\n");

    Peer second = rig.client();
    second.send(get("a"));
    node.expect(get("a")).send("$1\r\n2\r\n");
    second.expect("$1\r\n2\r\n");
  }

  @Test
  void aClientWaitsForAFreeConnection() {
    restart(new RigOptions().sync(1));
    Peer first = rig.client();
    first.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    Peer second = rig.client();
    second.send(get("foo"));

    node.send("$1\r\n1\r\n");

    first.expect("$1\r\n1\r\n");
    node.expect(get("foo")).send("$1\r\nf\r\n");
    second.expect("$1\r\nf\r\n");
  }

  @Test
  void noFreeConnectionUntilTheDeadlineIsAnError() {
    restart(new RigOptions().sync(1).commandTimeout(Duration.ofMillis(500)).named("orders"));
    Peer first = rig.client();
    first.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    Peer second = rig.client();
    try (LogLines log = LogLines.of("dispatch.SyncDispatcher")) {
      second.send(get("foo"));
      second.expect(OVERLOADED);
      assertThat(log.get())
          .singleElement()
          .asString()
          .startsWith("Upstream orders: All 1 connections for turns");
    }

    node.send("$1\r\n1\r\n"); // no tick here: the first one still waits
    first.expect("$1\r\n1\r\n");
  }

  @Test
  void clientsOfTwoNodesDoNotDeadlock() {
    restart(new RigOptions().sync(1));
    Peer one = rig.client();
    Peer two = rig.client();
    one.send(get("a"));
    Peer upper = accept(1).expect(get("a"));
    two.send(get("b"));
    Peer lower = accept(0).expect(get("b"));
    one.send(get("c") + get("a"));
    two.send(get("foo") + get("b"));

    upper.send("$1\r\n1\r\n");
    lower.send("$1\r\n2\r\n");

    answerAll(upper, "$1\r\nu\r\n", 2, get("a").length(), get("foo").length());
    answerAll(lower, "$1\r\nl\r\n", 2, get("c").length(), get("b").length());
    one.expect("$1\r\n1\r\n$1\r\nl\r\n$1\r\nu\r\n");
    two.expect("$1\r\n2\r\n$1\r\nu\r\n$1\r\nl\r\n");
  }

  private static void answerAll(Peer node, String reply, int times, int... lengths) {
    Thread.ofVirtual()
        .start(() -> {
          for (int i = 0; i < times; i++) {
            node.read(lengths[i]);
            node.send(reply);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2}) // no other connection is needed
  void aLateReplyIsDroppedBeforeTheConnectionIsReleased(int connections) {
    restart(new RigOptions().sync(connections).commandTimeout(Duration.ofSeconds(10)));
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    rig.tick(Duration.ofSeconds(11));
    client.expect(TIMEOUT);

    client.send(get("foo"));
    node.expect(get("foo")); // behind the late one, on the same connection
    node.send("$4\r\nlate\r\n$1\r\nf\r\n");

    client.expect("$1\r\nf\r\n");
    await().untilAsserted(() -> assertThat(connectionsInFlight()).isZero());
  }

  @Test
  void aLateTransactionDelaysNothingElse() {
    restart(new RigOptions().sync(2).commandTimeout(Duration.ofSeconds(10)));
    Peer client = rig.client();
    client.send(call("MULTI") + set("a", "1") + call("EXEC"));
    Peer late = accept(1).expect(call("MULTI") + set("a", "1") + call("EXEC"));
    rig.tick(Duration.ofSeconds(11));
    client.expect(
        "+OK\r\n+QUEUED\r\n-TIMEOUT the node did not answer in time; the command may have run or"
            + " may still run\r\n");

    client.send(get("b"));
    accept(0).expect(get("b")).send("$1\r\nb\r\n");
    client.expect("$1\r\nb\r\n");

    client.send(get("a"));
    late.expect(get("a")).send("+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    await().untilAsserted(() -> assertThat(connectionsInFlight()).isZero());
  }

  @Test
  void theReplyTimeoutStartsWhenAConnectionIsFree() {
    restart(
        new RigOptions()
            .sync(1)
            .commandTimeout(Duration.ofSeconds(10))
            .failoverHold(Duration.ofSeconds(100)));
    Peer first = rig.client();
    first.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    Peer second = rig.client();
    second.send(set("foo", "1"));
    await().until(() -> rig.<Long>onLoop(() -> rig.sessions().pressure().unanswered()) == 2);
    rig.advance(Duration.ofSeconds(2));
    node.send("$1\r\n1\r\n").expect(set("foo", "1"));
    first.expect("$1\r\n1\r\n");

    rig.tick(Duration.ofMillis(8_500)); // more than the timeout after it came

    node.send("+OK\r\n");
    second.expect("+OK\r\n");
  }

  @Test
  void aSilentNodeIsDisconnected() {
    restart(new RigOptions().sync(1).commandTimeout(Duration.ofSeconds(10)));
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    rig.tick(Duration.ofSeconds(31));
    client.expect(TIMEOUT);
    node.expectClosed();

    client.send(get("a"));
    accept(1).expect(get("a")).send("$1\r\na\r\n");
    client.expect("$1\r\na\r\n");
  }

  @Test
  void onConnectionLossOnlyReadsAreRetried() {
    Peer reader = rig.client();
    reader.send(get("a"));
    accept(1).expect(get("a")).close();
    accept(1).expect(get("a")).send("$1\r\na\r\n");
    reader.expect("$1\r\na\r\n");

    Peer writer = rig.client();
    writer.send(set("b", "1"));
    accept(0).expect(set("b", "1")).close();
    assertThat(writer.read("-CONNLOST ".length())).isEqualTo("-CONNLOST ");
  }

  /** The connections of a killed process close one after the other. */
  @Test
  void afterALossOlderConnectionsAreNotUsed() {
    restart(new RigOptions().sync(3));
    Peer client = rig.client();
    Peer second = rig.client();
    Peer third = rig.client();
    client.send(set("a", "1"));
    Peer lost = accept(1).expect(set("a", "1"));
    second.send(get("a"));
    Peer idle = accept(1).expect(get("a"));
    third.send(get("foo"));
    Peer busy = accept(1).expect(get("foo"));
    idle.send("$1\r\n0\r\n"); // has served a client and waits for the next one
    second.expect("$1\r\n0\r\n");

    lost.close();
    client.expect(CONNLOST);
    busy.send("$1\r\nf\r\n"); // the node may have sent it before it died
    third.expect("$1\r\nf\r\n");

    idle.expectClosed();
    busy.expectClosed();
    client.send(set("a", "2"));
    accept(1).expect(set("a", "2")).send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void nothingOvertakesARetriedRead() {
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    client.send(set("a", "2"));
    node.close();

    Peer again = accept(1).expect(get("a"));
    again.send("$1\r\n1\r\n").expect(set("a", "2")).send("+OK\r\n");

    client.expect("$1\r\n1\r\n+OK\r\n");
  }

  @Test
  void redirectsAreFollowed() {
    Peer client = rig.client();
    client.send(get("a"));
    accept(1).expect(get("a")).send("-ASK 15495 127.0.0.1:" + rig.address(0).port() + "\r\n");

    accept(0).expect(call("ASKING") + get("a")).send("+OK\r\n$1\r\na\r\n");

    client.expect("$1\r\na\r\n");
  }

  @Test
  void aClientIsServedAfterALongIdleTime() {
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = accept(1).expect(get("a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    rig.tick(Duration.ofSeconds(11));
    node.expectClosed(); // the connection was not needed, and the thread has ended

    client.send(get("a"));
    accept(1).expect(get("a")).send("$1\r\n2\r\n");
    client.expect("$1\r\n2\r\n");
  }

  @Test
  void aClientThatSendsMuchIsPaused() {
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = accept(1).expect(get("a"));
    String big = set("a", "x".repeat(60_000));
    Thread.ofVirtual().start(() -> client.send(big.repeat(40)));

    Session session = rig.newestSession();
    await().until(() -> !rig.onLoop(() -> session.channel().config().isAutoRead()));
    assertThat(rig.onLoop(() -> session.replies().size())).isLessThan(5);

    node.send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    for (int i = 0; i < 40; i++) {
      node.expect(big).send("+OK\r\n");
      client.expect("+OK\r\n");
    }
  }
}
