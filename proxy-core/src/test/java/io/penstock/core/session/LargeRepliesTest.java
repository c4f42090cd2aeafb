package io.penstock.core.session;

import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which clients may send to a node from which large replies are expected. */
class LargeRepliesTest {

  private static final String SMALL = "$1\r\nv\r\n";
  private static final String LARGE = Wire.bulk("x".repeat(1 << 20));
  private static final String A = Wire.request("GET", "a"); // of node 1
  private static final String FOO = Wire.request("GET", "foo"); // of node 1
  private static final String B = Wire.request("GET", "b"); // of node 0
  private static final String SET = Wire.request("SET", "a", "1");

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  private boolean isRead(Session session) {
    return rig.onLoop(() -> session.channel().config().isAutoRead());
  }

  /** Returns a client that has sent a request to a node that has no room for it. */
  private Peer waiting(String request) {
    Peer client = rig.client().send(request);
    await().until(() -> rig.<Integer>onLoop(() -> rig.sessions().sessions().size()) > 1);
    Session session = rig.newestSession();
    await().until(() -> !isRead(session));
    return client;
  }

  @Test
  void expectedLargeRepliesMakeClientsWait() {
    Peer first = rig.client().send(A.repeat(8));
    Peer node = rig.accept(1).expect(A.repeat(8));
    Peer second = waiting(FOO);

    rig.clientOfSmallReplies().send(A);
    node.expect(A);
    rig.client().send(SET);
    node.expect(SET);
    rig.client().send(B);
    rig.accept(0).expect(B);

    node.send(SMALL.repeat(3));
    first.expect(SMALL.repeat(3));
    assertThat(node.pending()).isZero();
    node.send(SMALL);
    node.expect(FOO).send(SMALL.repeat(5) + "+OK\r\n" + SMALL);
    second.expect(SMALL);
  }

  @Test
  void theAnnouncedLengthOfAReplyCounts() {
    Peer greedy = rig.clientOfSmallReplies().send(A);
    Peer node = rig.accept(1).expect(A);
    String reply = Wire.bulk("x".repeat(5_000_000));
    String begun = reply.substring(0, 20_000);
    node.send(begun);
    greedy.expect(begun);

    Peer other = waiting(FOO);
    assertThat(node.pending()).isZero();
    Thread.ofVirtual().start(() -> node.send(reply.substring(20_000)));
    greedy.expect(reply.substring(20_000));

    node.expect(FOO).send(SMALL);
    other.expect(SMALL);
  }

  @Test
  void waitingClientsResumeAfterAConnectionLoss() {
    rig.client().send(A.repeat(8));
    Peer node = rig.accept(1).expect(A.repeat(8));
    Peer other = waiting(FOO);

    node.close();

    rig.accept(1).expect(FOO).send(SMALL);
    other.expect(SMALL);
  }

  @Test
  void lateRepliesDoNotCount() {
    rig.close();
    rig = new RigOptions().commandTimeout(Duration.ofSeconds(50)).start();
    Peer late = rig.client().send(A.repeat(8));
    Peer node = rig.accept(1).expect(A.repeat(8));
    Peer other = waiting(FOO);

    rig.tick(Duration.ofSeconds(60));

    late.expect("-TIMEOUT the node did not answer in time\r\n".repeat(8));
    node.expect(FOO).send(SMALL.repeat(9));
    other.expect(SMALL);
  }

  @Test
  void aClientThatDoesNotReadGetsFewLargeReplies() {
    Peer client = rig.client().send(Wire.request("PING")).expect("+PONG\r\n");
    Session session = rig.newestSession();
    client.send(A.repeat(200));
    Peer node = rig.accept(1);
    var given = new AtomicInteger();
    Thread.ofVirtual()
        .start(() -> {
          while (node.read(A.length()).equals(A)) {
            node.send(LARGE);
            given.incrementAndGet();
          }
        });

    await()
        .until(() ->
            rig.<Boolean>onLoop(() ->
                session.replies().isEmpty()
                    && !session.channel().isWritable()
                    && !session.channel().config().isAutoRead()));
    assertThat(given).hasValueLessThan(32); // most of them wait in socket buffers
  }

  @Test
  void writesOfANewClientDoNotWait() {
    rig.client().send(SET.repeat(1_000));

    rig.accept(1).expect(SET.repeat(1_000));
  }

  @Test
  void clientsWithLeasedConnectionsDoNotWait() {
    rig.close();
    rig = new RigOptions().sync(4).start();
    rig.client().send(A.repeat(8));
    leased(1).expect(A.repeat(8));

    Peer other = rig.client().send(FOO);

    leased(1).expect(FOO).send(SMALL);
    other.expect(SMALL);
  }

  private Peer leased(int node) {
    String id = Wire.request("CLIENT", "ID");
    return rig.acceptUnanswered(node).expect(NAMING + id).send("+OK\r\n:7\r\n");
  }
}
