package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMaps;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The counters of nodes: they only grow. */
class NodeFiguresTest {

  private static final String SUBSCRIBED = "3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:1\r\n";
  private static final String UNSUBSCRIBED = "3\r\n$11\r\nunsubscribe\r\n$1\r\nb\r\n:0\r\n";
  private static final String MESSAGE = "3\r\n$7\r\nmessage\r\n$1\r\nb\r\n$1\r\nm\r\n";

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void countsOfAClosedSubscriberConnectionRemain() {
    Peer client = rig.client();
    client.send(call("SUBSCRIBE b"));
    rig.acceptSubscriberConnection(0).expect(call("subscribe b")).close();
    Peer feed = rig.acceptSubscriberConnection(0).expect(call("subscribe b"));
    feed.send(">" + SUBSCRIBED + ">" + MESSAGE);
    client.expect("*" + SUBSCRIBED + "*" + MESSAGE).send(call("UNSUBSCRIBE b"));
    feed.expect(PING).send("+PONG\r\n");
    feed.expect(call("unsubscribe b")).send(">" + UNSUBSCRIBED);
    client.expect("*" + UNSUBSCRIBED);
    NodeStats before = rig.countedAt(0);
    assertThat(before.reconnects()).isEqualTo(1);
    assertThat(before.errors()).isEqualTo(1);

    rig.tick(Duration.ofSeconds(11));
    feed.expectClosed();

    NodeStats after = rig.countedAt(0); // another connection may be established meanwhile
    assertThat(after.bytesSent()).isGreaterThanOrEqualTo(before.bytesSent());
    assertThat(after.bytesReceived()).isGreaterThanOrEqualTo(before.bytesReceived());
    assertThat(after.reconnects()).isEqualTo(1);
    assertThat(after.errors()).isEqualTo(1);
  }

  @Test
  void countsOfConnectionsToARemovedNodeRemain() {
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = rig.accept(1).expect(get("a")).send("$1\r\n1\r\n");
    client.expect("$1\r\n1\r\n");
    NodeStats before = rig.countedAt(1);
    assertThat(before.connections()).isEqualTo(1);

    rig.publish(SlotMaps.oneMaster(rig.address(0)));
    rig.tick(Duration.ZERO);
    node.expectClosed();

    NodeStats after = rig.countedAt(1);
    assertThat(after.connections()).isZero();
    assertThat(after.bytesSent()).isEqualTo(before.bytesSent());
    assertThat(after.bytesReceived()).isEqualTo(before.bytesReceived());
  }

  @Test
  void requestsOnAnOpenTurnConnectionCount() {
    rig.close();
    rig = new RigOptions().sync(2).start();
    String handshake = NAMING + call("CLIENT ID");
    Peer client = rig.client();
    client.send(set("a", "1"));
    Peer node = rig.acceptUnanswered(1).expect(handshake).send("+OK\r\n:7\r\n");
    node.expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");

    NodeStats open = rig.countedAt(1);
    assertThat(open.connections()).isEqualTo(1);
    assertThat(open.bytesSent()).isEqualTo((handshake + set("a", "1")).length());

    node.close();
    await().until(() -> rig.countedAt(1).connections() == 0);
    assertThat(rig.countedAt(1).bytesSent()).isEqualTo(open.bytesSent());
  }
}
