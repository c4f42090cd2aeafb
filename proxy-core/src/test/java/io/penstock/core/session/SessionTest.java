package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.command.CommandTable;
import io.penstock.core.observe.Outcome;
import io.penstock.core.transport.ReadGate;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, protocol errors, backpressure and the end of a connection. */
class SessionTest {

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  /** When this client has its reply, the loop has read everything that the node sent before. */
  private void passThrough(Peer node, String key) {
    Peer other = rig.client();
    other.send(get(key));
    node.expect(get(key)).send("$-1\r\n");
    other.expect("$-1\r\n").close();
  }

  private boolean isRead(Session session) {
    return rig.onLoop(() -> session.channel().config().isAutoRead());
  }

  private long count(String command, Outcome outcome) {
    int id = CommandTable.load().byName(command).id();
    return rig.onLoop(() -> rig.sessions().counters().count(id, outcome));
  }

  @Test
  void repliesKeepTheOrderOfTheRequests() {
    Peer client = rig.client();
    client.send(get("a") + get("b") + PING + get("c") + get("foo"));
    Peer upper = rig.accept(1).expect(get("a") + get("foo"));
    Peer lower = rig.accept(0).expect(get("b") + get("c"));

    lower.send("$1\r\nb\r\n$1\r\nc\r\n");
    passThrough(lower, "b");
    assertThat(client.pending()).isZero();
    upper.send("$1\r\na\r\n");

    client.expect("$1\r\na\r\n$1\r\nb\r\n+PONG\r\n$1\r\nc\r\n");
    upper.send("$3\r\nfoo\r\n");
    client.expect("$3\r\nfoo\r\n");
  }

  @Test
  void packetBoundariesHaveNoEffect() {
    Peer client = rig.client();
    String requests = set("a", "\r\n*1\r\n") + "PING\r\n" + get("b") + "\r\n" + PING;
    for (byte[] piece : Splits.inPiecesOf(1, Wire.bytes(requests))) {
      client.send(piece);
    }
    Peer upper = rig.accept(1).expect(set("a", "\r\n*1\r\n"));
    Peer lower = rig.accept(0).expect(get("b"));
    for (byte[] piece : Splits.inPiecesOf(1, Wire.bytes("$5\r\nhe\r\nl\r\n"))) {
      lower.send(piece);
    }
    upper.send("+O").send("K\r\n");

    client.expect("+OK\r\n+PONG\r\n$5\r\nhe\r\nl\r\n+PONG\r\n");
  }

  @Test
  void aLargeReplyIsForwardedWhileItArrives() {
    String reply = Wire.bulk("x".repeat(200_000));
    Peer client = rig.client();
    client.send(get("a") + PING);
    Peer node = rig.accept(1).expect(get("a"));

    node.send(reply.substring(0, 100_000));
    client.expect(reply.substring(0, 80_000));
    node.send(reply.substring(100_000));

    client.expect(reply.substring(80_000) + "+PONG\r\n");
  }

  @Test
  void aLargeReplyWaitsForEarlierReplies() {
    String reply = Wire.bulk("x".repeat(200_000));
    Peer client = rig.client();
    client.send(get("b") + get("a") + PING);
    Peer upper = rig.accept(1).expect(get("a")).send(reply.substring(0, 100_000));
    Peer lower = rig.accept(0).expect(get("b"));
    await().until(() -> rig.bytesReceivedFrom(1) >= 100_000);
    assertThat(client.pending()).isZero();
    lower.send("$1\r\nb\r\n");
    client.expect("$1\r\nb\r\n" + reply.substring(0, 80_000));
    upper.send(reply.substring(100_000));

    client.expect(reply.substring(80_000) + "+PONG\r\n");
  }

  @Test
  void aLargeRequestIsForwarded() {
    String value = "x".repeat(3_000_000);
    Peer client = rig.client();
    Thread.ofVirtual().start(() -> client.send(set("a", value) + get("a")));

    Peer node = rig.accept(1).expect(set("a", value)).send("+OK\r\n");
    node.expect(get("a")).send("$1\r\nx\r\n");

    client.expect("+OK\r\n$1\r\nx\r\n");
  }

  @Test
  void manyRequestsInOnePacketAreAllAnswered() {
    Peer client = rig.client();
    client.send(PING.repeat(20_000));

    client.expect("+PONG\r\n".repeat(20_000));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "*x\\r\\n;invalid multibulk length",
        "*1048577\\r\\n;invalid multibulk length",
        "*1\\r\\n$x\\r\\n;invalid bulk length",
        "*1\\r\\n$536870913\\r\\n;invalid bulk length",
        "*1\\r\\n:1\\r\\n;expected '$', got ':'",
        "*1\\r\\n\\r\\n;expected '$', got ' '",
        "PING \"a\\r\\n;unbalanced quotes in request"
      },
      quoteCharacter = '\u0001')
  void aProtocolErrorIsAnsweredAndClosesTheClient(String escaped, String words) {
    String wire = escaped.replace("\\r", "\r").replace("\\n", "\n");
    Peer client = rig.client();

    client.send(PING + wire + PING);

    client.expect("+PONG\r\n-ERR Protocol error: " + words + "\r\n").expectClosed();
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST / HTTP/1.1\r\n", "hOST: localhost\r\n", "post\r\n"})
  void anHttpLineClosesTheClientBeforeLaterRequestsRun(String line) {
    Peer client = rig.client();

    client.send(PING + line + set("a", "never"));

    client.expect("+PONG\r\n").expectClosed();
  }

  @Test
  void aProtocolErrorIsAnsweredAfterPendingReplies() {
    Peer client = rig.client();
    client.send(get("a") + "*x\r\n");

    rig.accept(1).expect(get("a")).send("$1\r\nv\r\n");

    client.expect("$1\r\nv\r\n-ERR Protocol error: invalid multibulk length\r\n").expectClosed();
  }

  @Test
  void quitIsAnsweredAfterPendingRepliesAndCloses() {
    Peer client = rig.client();
    client.send(get("a") + "QUIT\r\n" + set("a", "never"));
    Peer node = rig.accept(1).expect(get("a"));

    node.send("$1\r\nv\r\n");

    client.expect("$1\r\nv\r\n+OK\r\n").expectClosed();
    passThrough(node, "a");
  }

  @Test
  void drainingAnswersPendingRequestsAndNoNewOnes() {
    Peer idle = rig.client();
    idle.send(PING).expect("+PONG\r\n");
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = rig.accept(1).expect(get("a"));

    rig.onLoop(() -> {
      List.copyOf(rig.sessions().sessions()).forEach(Session::drain);
      return true;
    });
    idle.expectClosed();
    client.send(get("foo"));
    node.send("$1\r\nv\r\n");

    assertThat(client.read(8)).startsWith("$1\r\nv\r\n");
    assertThat(client.read(1)).startsWith("<");
  }

  @Test
  void requestsAfterQuitDoNotMakeTheKernelDropReplies() {
    Peer client = rig.client();
    var sent = CompletableFuture.runAsync(() -> client.send(get("a").repeat(400_000)));
    Peer node = rig.accept(1).expect(get("a").repeat(8));
    Session session = rig.newestSession();
    await().until(() -> !isRead(session));

    rig.onLoop(() -> {
      session.drain();
      return true;
    });
    sent.orTimeout(10, TimeUnit.SECONDS).join(); // everything has been read
    String reply = Wire.bulk("v".repeat(2 * 1024 * 1024));
    node.send(reply.repeat(8));

    client.expect(reply.repeat(8));
    assertThat(client.read(1)).isEqualTo("<end>");
  }

  private int unanswered(Session session) {
    return rig.onLoop(() -> session.replies().size());
  }

  @Test
  void smallRepliesAllowManyRequestsInFlight() {
    Peer client = rig.client();
    client.send(get("a").repeat(5_000));
    Peer node = rig.accept(1);
    Session session = rig.newestSession();

    List<Integer> windows = new ArrayList<>();
    for (int answered = 0; answered < 5_000; answered += windows.getLast()) {
      int left = 5_000 - answered;
      await().until(() -> !isRead(session) || unanswered(session) == left);
      int window = unanswered(session);
      windows.add(window);
      String replies = "$1\r\nv\r\n".repeat(window);
      node.expect(get("a").repeat(window)).send(replies);
      client.expect(replies);
    }

    // The size of the client's replies is not known at first: 8 of 512 KiB each would be 4 MiB.
    assertThat(windows).startsWith(8).contains(4_096).hasSizeLessThan(6);
    await().until(() -> isRead(session));
  }

  @Test
  void aClientIsNotReadWhileItsLoopPausesReading() {
    Peer client = rig.client().send(PING).expect("+PONG\r\n");
    Session session = rig.newestSession();
    readGate(ReadGate::shut);
    client.send(PING).expect("+PONG\r\n"); // for the bytes already read
    await().until(() -> !isRead(session));

    client.send(PING);
    readGate(ReadGate::isOpen); // a turn or two
    readGate(ReadGate::isOpen);
    assertThat(client.pending()).isZero();
    readGate(ReadGate::open);

    client.expect("+PONG\r\n");
    assertThat(isRead(session)).isTrue();
  }

  @Test
  void aPausedClientStaysPausedWhenItsLoopResumes() {
    Peer client = rig.client().send(get("a").repeat(12));
    Peer node = rig.accept(1).expect(get("a").repeat(8));
    Session session = rig.newestSession();
    await().until(() -> !isRead(session));

    readGate(ReadGate::shut);
    readGate(ReadGate::open);

    assertThat(isRead(session)).isFalse();
    node.send("$1\r\nv\r\n".repeat(8)).expect(get("a").repeat(4));
    client.expect("$1\r\nv\r\n".repeat(8));
    await().until(() -> isRead(session));
  }

  private void readGate(Consumer<ReadGate> action) {
    rig.onLoop(() -> {
      action.accept(rig.sessions().loop().readGate());
      return true;
    });
  }

  @Test
  void readingPausesWhileTheClientDoesNotRead() {
    String reply = Wire.bulk("x".repeat(4_000_000));
    Peer client = rig.client();
    client.send(get("a").repeat(3));
    Peer node = rig.accept(1).expect(get("a").repeat(3));
    Session session = rig.newestSession();
    Thread.ofVirtual().start(() -> node.send(reply.repeat(3)));
    await().until(() -> !isRead(session));

    client.send(PING);
    client.expect(reply.repeat(3) + "+PONG\r\n");

    await().until(() -> isRead(session));
  }

  @Test
  void readingPausesWhileARequestMustWait() {
    Peer client = rig.client();
    client.send(set("a", "1"));
    Peer old = rig.accept(1).expect(set("a", "1"));
    Peer owner = rig.accept(0);
    Session session = rig.newestSession();
    rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));

    client.send(set("a", "2"));

    await().until(() -> !isRead(session));
    old.send("+1\r\n");
    owner.expect(set("a", "2")).send("+2\r\n");
    client.expect("+1\r\n+2\r\n");
    await().until(() -> isRead(session));
  }

  @Test
  void readingPausesWhileTheNodeDoesNotRead() {
    Peer client = rig.client();
    client.send(get("a"));
    Peer node = rig.accept(1).expect(get("a")).send("$-1\r\n");
    client.expect("$-1\r\n");
    Session session = rig.newestSession();
    String request = set("a", "x".repeat(1_000_000));
    Thread.ofVirtual().start(() -> client.send(request.repeat(20)));
    await().until(() -> !isRead(session));

    for (int i = 0; i < 20; i++) {
      node.expect(request).send("+OK\r\n");
    }

    client.expect("+OK\r\n".repeat(20));
    await().until(() -> isRead(session));
  }

  @Test
  void readingPausesWhenManyRequestsWaitForANode() {
    rig.server(1).stopListening();
    Peer client = rig.client();
    // Its replies are known to be small: their size is not why it has to wait.
    client.send("*1\r\n$4\r\nPING\r\n".repeat(40)).expect("+PONG\r\n".repeat(40));
    client.send(set("a", "1").repeat(1_500));
    await().until(() -> rig.topology().calls().contains("refresh RECONNECT"));
    Session session = rig.newestSession();
    await().until(() -> !isRead(session));

    rig.server(1).listenAgain();

    rig.accept(1).expect(set("a", "1").repeat(1_500)).send("+OK\r\n".repeat(1_500));
    client.expect("+OK\r\n".repeat(1_500));
    await().until(() -> isRead(session));
  }

  @Test
  void aDisconnectedClientDoesNotAffectOthers() {
    Peer leaving = rig.client();
    leaving.send(get("a") + get("a"));
    Peer node = rig.accept(1).expect(get("a") + get("a"));
    Peer staying = rig.client();
    staying.send(get("foo"));
    node.expect(get("foo"));
    leaving.reset();
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().size()) == 1);

    node.send("$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n");

    staying.expect("$1\r\n3\r\n");
  }

  @Test
  void outcomesAreCounted() {
    Peer client = rig.client();
    client.send(get("a") + get("a") + "GET\r\n" + get("a"));
    Peer node = rig.accept(1).expect(get("a").repeat(3)).send("$1\r\nv\r\n-ERR no\r\n");
    client.expect("$1\r\nv\r\n-ERR no\r\n-ERR wrong number of arguments for 'get' command\r\n");
    node.close();
    rig.accept(1).expect(get("a"));
    rig.tick(Duration.ofSeconds(200));
    client.expect("-TIMEOUT the node did not answer in time\r\n");
    client.send(PING + set("a", "1"));
    client.expect("+PONG\r\n");

    assertThat(count("get", Outcome.OK)).isEqualTo(1);
    assertThat(count("get", Outcome.ERROR)).isEqualTo(1);
    assertThat(count("get", Outcome.REJECTED)).isEqualTo(1);
    assertThat(count("get", Outcome.TIMEOUT)).isEqualTo(1);
    assertThat(count("ping", Outcome.OK)).isEqualTo(1);
    assertThat(count("set", Outcome.OK)).isZero();
  }

  @Test
  void errorsKeepTheOrderOfTheRequests() {
    Peer client = rig.client();
    client.send(get("a") + call("RENAME a b") + call("FOO") + call("MONITOR"));

    rig.accept(1).expect(get("a")).send("$1\r\nv\r\n");

    client.expect(
        "$1\r\nv\r\n-CROSSSLOT Keys in request don't hash to the same slot\r\n"
            + "-ERR unknown command 'FOO', with args beginning with: \r\n"
            + "-ERR MONITOR is not allowed through this proxy");
  }

  @Test
  void aCommandForAnyNodeGoesToAConnectedNode() {
    rig.server(1).stopListening();
    Peer node = rig.connected(0);
    Peer client = rig.client();
    client.send(get("b"));
    node.expect(get("b")).send("$-1\r\n");
    client.expect("$-1\r\n");
    for (int i = 0; i < 4; i++) { // clients prefer different nodes
      Peer any = rig.client();
      any.send(call("TIME"));
      node.expect(call("TIME")).send("*2\r\n$1\r\n1\r\n$1\r\n2\r\n");
      any.expect("*2\r\n$1\r\n1\r\n$1\r\n2\r\n");
    }
  }
}
