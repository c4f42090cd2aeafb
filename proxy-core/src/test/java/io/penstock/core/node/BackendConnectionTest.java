package io.penstock.core.node;

import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.backend.TestExchange;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a node's connections against a scripted server. */
class BackendConnectionTest extends NodeFixture {

  private static final long IDLE = TimeUnit.SECONDS.toNanos(10);
  private static final String PING = "*1\r\n$4\r\nPING\r\n";

  /** Sends {@code <name>} for each name, in one turn of the loop. */
  private void send(String... names) {
    onLoop(() -> {
      for (String name : names) {
        node().send(exchange(name), false);
      }
      return null;
    });
  }

  /** Sending requests and receiving replies. */
  @Nested
  class Exchanges {

    @Test
    void theFirstExchangeConnectsAndIsSent() {
      send("a");
      Peer peer = server.accept();

      peer.expect("<a>").send("+A\r\n");

      awaitLog("a +A\r\n");
      assertThat(events).containsExactly("connected");
    }

    @Test
    void exchangesAreSentInOrderAndAnsweredInOrder() {
      send("a", "b", "c");
      Peer peer = server.accept();
      peer.expect("<a><b><c>").send("+A\r\n:2\r");
      send("d");
      peer.expect("<d>").send("\n-ERR c\r\n$-1\r\n");

      awaitLog("a +A\r\n", "b :2\r\n", "c -ERR c\r\n", "d $-1\r\n");
    }

    @Test
    void askingIsSentFirstAndItsReplyIsDropped() {
      onLoop(() -> {
        node().send(exchange("a"), true);
        return node().send(exchange("b"), false);
      });
      Peer peer = server.accept();

      peer.expect("*1\r\n$6\r\nASKING\r\n<a><b>").send("+OK\r\n+A\r\n+B\r\n");

      awaitLog("a +A\r\n", "b +B\r\n");
    }

    @Test
    void eachClientStaysOnOneOfSeveralConnections() {
      settings =
          new BackendSettings(
              COMMAND_TIMEOUT,
              COMMAND_TIMEOUT,
              2,
              2,
              2,
              10,
              QueueLimits.DEFAULTS,
              ReadSettings.MASTER_ONLY,
              Label.ONLY);
      onLoop(() -> node().send(new TestExchange("a1", log, FAR, Protocol.RESP2, 1), false));
      Peer one = server.accept();
      onLoop(() -> node().send(new TestExchange("b1", log, FAR, Protocol.RESP2, 2), false));
      Peer two = server.accept();
      onLoop(() -> node().send(new TestExchange("a2", log, FAR, Protocol.RESP2, 1), false));
      onLoop(() -> node().send(new TestExchange("b2", log, FAR, Protocol.RESP2, -2), false));

      one.expect("<a1><a2>");
      two.expect("<b1><b2>");
    }

    @Test
    void connectionsBytesReconnectsAndErrorsAreCounted() {
      send("a", "b");
      Peer first = server.accept();
      first.expect("<a><b>").send("+A\r\n");
      awaitLog("a +A\r\n");
      assertThat(stats())
          .isEqualTo(new NodeStats(address(), 1, 0, 1, NAMING.length() + 6, 5 + 4, 0, 0, Map.of()));

      first.close();
      await().until(() -> log.size() == 2);
      server.accept();
      await().untilAsserted(() -> assertThat(stats().reconnects()).isEqualTo(1));

      assertThat(stats())
          .isEqualTo(
              new NodeStats(
                  address(), 1, 0, 0, 2 * NAMING.length() + 6, 2 * 5 + 4, 1, 1, Map.of()));
    }

    @Test
    void itConnectsBeforeTheFirstExchange() {
      onLoop(() -> {
        node().connect();
        return null;
      });
      Peer peer = server.accept();
      await().until(() -> onLoop(() -> node().isReady()));

      send("a");
      peer.expect("<a>");
    }
  }

  /** Limits on requests in flight, unsent and held. */
  @Nested
  class Limits {

    private void limitTo(QueueLimits limits) {
      settings =
          new BackendSettings(
              COMMAND_TIMEOUT,
              COMMAND_TIMEOUT,
              1,
              2,
              2,
              10,
              limits,
              ReadSettings.MASTER_ONLY,
              Label.ofUpstream("orders", false));
    }

    private boolean isWritable() {
      return onLoop(() -> node().isWritable());
    }

    @Test
    void itIsNotWritableFromTheLimitUntilHalfAreAnswered() {
      limitTo(new QueueLimits(4, 1_000_000));
      send("a");
      Peer peer = server.accept().expect("<a>");
      send("b", "c");
      assertThat(isWritable()).isTrue();

      try (LogLines log = LogLines.of("node.Congestion")) {
        send("d");
        peer.expect("<b><c><d>");
        assertThat(isWritable()).isFalse();
        assertThat(log.get())
            .singleElement()
            .asString()
            .startsWith(
                "Upstream orders: 4 requests are in flight on one connection to 127.0.0.1:");
      }
      peer.send("+A\r\n");
      awaitLog("a +A\r\n");
      assertThat(isWritable()).isFalse();
      peer.send("+B\r\n");

      await().until(this::isWritable);
    }

    @Test
    void farTooManyInFlightAreRejected() {
      limitTo(new QueueLimits(1, 1_000_000));
      send("a");
      Peer peer = server.accept().expect("<a>");

      List<String> taken = IntStream.range(1, 16).mapToObj(i -> "b" + i).toList();
      taken.forEach(BackendConnectionTest.this::send);
      try (LogLines lines = LogLines.of("node.Congestion")) {
        send("c");
        awaitLog("c OVERLOADED");
        assertThat(lines.get())
            .singleElement()
            .asString()
            .startsWith("Upstream orders: 127.0.0.1:");
      }
      peer.expect(taken.stream().map(name -> "<" + name + ">").collect(joining()));
      Stream<String> sent = Stream.concat(Stream.of("a"), taken.stream());
      List<String> replies = sent.map(name -> name + " +" + name + "\r\n").toList();
      replies.forEach(reply -> peer.send(reply.substring(reply.indexOf('+'))));
      awaitLog(Stream.concat(Stream.of("c OVERLOADED"), replies.stream()).toArray(String[]::new));
      send("f");
      peer.expect("<f>");
    }

    @Test
    void unsentBytesAreLimited() {
      limitTo(new QueueLimits(1_000, 4 << 20));
      send("a");
      server.accept().expect("<a>"); // and stops reading
      String large = "x".repeat(1 << 20);

      for (int i = 0; i < 64; i++) {
        send(large);
      }

      await().until(() -> log.stream().anyMatch(entry -> entry.endsWith("OVERLOADED")));
      long rejected = log.stream().filter(entry -> entry.endsWith("OVERLOADED")).count();
      assertThat(rejected).isGreaterThan(30);
    }

    @Test
    void heldRequestsAreLimited() {
      settings =
          new BackendSettings(
              COMMAND_TIMEOUT,
              COMMAND_TIMEOUT,
              1,
              2,
              2,
              2,
              QueueLimits.DEFAULTS,
              ReadSettings.MASTER_ONLY,
              Label.ONLY);
      server.stopListening();

      send("a", "b", "c");

      assertThat(log).containsExactly("c OVERLOADED");
    }

    @Test
    void itIsNotWritableWhenManyWait() {
      server.stopListening();
      for (int i = 0; i < 1_023; i++) {
        assertThat(onLoop(() -> node().send(exchange("a"), false))).isTrue();
      }
      assertThat(onLoop(() -> node().send(exchange("a"), false))).isFalse();
    }
  }

  /** What is sent before the first request. */
  @Nested
  class Handshake {

    @Test
    void requestsAreSentAfterThePasswordWasAccepted() {
      access = new Access(new Credentials(null, "secret"), 0);
      send("a");
      Peer peer = server.acceptUnanswered();

      peer.expect("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING);
      assertThat(peer.pending()).isZero();
      assertThat(events).isEmpty();

      peer.send("+OK\r\n+OK\r\n").expect("<a>");
    }

    @Test
    void userPasswordAndDatabaseAreSentInThisOrder() {
      access = new Access(new Credentials("us\u00e9r", "secret"), 5);
      send("a");
      Peer peer = server.acceptUnanswered();

      peer.expect(
          "*3\r\n$4\r\nAUTH\r\n$5\r\nus\u00c3\u00a9r\r\n$6\r\nsecret\r\n"
              + NAMING
              + "*2\r\n$6\r\nSELECT\r\n$1\r\n5\r\n");
      peer.send("+OK\r\n+OK\r\n");
      peer.send("+OK\r\n").expect("<a>").send("+A\r\n");

      awaitLog("a +A\r\n");
    }

    @Test
    void aHeaderOfTheProxyProtocolIsFirst() {
      access = new Access(null, 3, new NodeTransport(null, HAProxyProtocolVersion.V1));
      send("a");
      Peer peer = server.acceptUnanswered();

      peer.expect(
          "PROXY TCP4 127.0.0.1 127.0.0.1 %d %d\r\n".formatted(peer.remotePort(), server.port())
              + NAMING
              + "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
      peer.send("+OK\r\n+OK\r\n").expect("<a>").send("+A\r\n");

      awaitLog("a +A\r\n");
    }

    @Test
    void aNodeThatDoesNotExpectTheHeaderIsSaidSo() {
      access = new Access(null, 0, new NodeTransport(null, HAProxyProtocolVersion.V2));
      send("a");
      server.acceptUnanswered().close();

      await()
          .untilAsserted(() ->
              assertThat(events).anyMatch(event -> event.contains("PROXY protocol header, v2")));
    }

    @Test
    void resp3HasASeparateConnection() {
      access = new Access(new Credentials(null, "secret"), 0);
      send("two");
      Peer resp2 = server.acceptUnanswered();
      onLoop(() -> node().send(new TestExchange("three", log, FAR * 2, Protocol.RESP3, 0), false));
      Peer resp3 = server.acceptUnanswered();

      resp3.expect(
          "*5\r\n$5\r\nHELLO\r\n$1\r\n3\r\n$4\r\nAUTH\r\n$7\r\ndefault\r\n$6\r\nsecret\r\n"
              + NAMING);
      resp3.send("%2\r\n$5\r\nproto\r\n:3\r\n$7\r\nmodules\r\n*0\r\n+OK\r\n").expect("<three>");
      resp2
          .expect("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING)
          .send("+OK\r\n+OK\r\n")
          .expect("<two>");
    }

    @Test
    void resp3WithoutAPasswordNeedsNoAuth() {
      onLoop(() -> node().send(new TestExchange("a", log, FAR, Protocol.RESP3, 0), false));

      server
          .acceptUnanswered()
          .expect("*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n" + NAMING)
          .send("%0\r\n+OK\r\n")
          .expect("<a>");
    }

    @Test
    void aFailedHandshakeIsRetriedAndKeepsWaitingExchanges() {
      access = new Access(new Credentials(null, "secret"), 3);
      send("a");
      Peer first = server.acceptUnanswered();
      first.expect(
          "*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING + "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");

      first.send("-LOADING Redis is loading the dataset in memory\r\n-NOAUTH Auth");

      first.expectClosed();
      Peer second = server.acceptUnanswered();
      second.expect(
          "*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING + "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
      second.send("+OK\r\n+OK\r\n+OK\r\n").expect("<a>");
      assertThat(events.getFirst()).startsWith("disconnected after 1: ").contains("LOADING");
      assertThat(log).isEmpty();
    }

    @Test
    void nothingWaitsForANodeWhoseHandshakeNeverSucceeded() {
      access = new Access(new Credentials(null, "secret"), 0);
      send("a");
      send("b");
      String handshake = "*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING;
      server.acceptUnanswered().expect(handshake).send("-WRONGPASS invalid\r\n").expectClosed();
      awaitLog("a NOT_SENT", "b NOT_SENT");

      send("c");
      awaitLog("a NOT_SENT", "b NOT_SENT", "c NOT_SENT");

      Peer second = server.acceptUnanswered().expect(handshake).send("+OK\r\n+OK\r\n");
      await().until(() -> events.contains("connected"));
      send("d");
      second.expect("<d>").close();
      server.acceptUnanswered().expect(handshake).send("-ERR unknown\r\n").expectClosed();
      send("e"); // it waits: the node has accepted such a handshake before
      server.acceptUnanswered().expect(handshake).send("+OK\r\n+OK\r\n").expect("<e>");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOAUTH no password", "WRONGPASS invalid", "NOPERM no HELLO"})
    void nothingWaitsForANodeThatBeginsToRefuseAccess(String error) {
      access = new Access(new Credentials(null, "secret"), 0);
      String handshake = "*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING;
      send("a");
      Peer first = server.acceptUnanswered().expect(handshake).send("+OK\r\n+OK\r\n");
      first.expect("<a>").send("+1\r\n").close();
      await().until(() -> events.getLast().contains("closed"));
      send("b");
      server.acceptUnanswered().expect(handshake).send("-" + error + "\r\n").expectClosed();
      awaitLog("a +1\r\n", "b NOT_SENT");

      send("c");
      awaitLog("a +1\r\n", "b NOT_SENT", "c NOT_SENT");

      Peer last = server.acceptUnanswered().expect(handshake).send("+OK\r\n+OK\r\n");
      await().until(() -> events.getLast().equals("connected"));
      send("d");
      last.expect("<d>");
    }

    @Test
    void aHandshakeTimesOut() {
      access = new Access(new Credentials(null, "secret"), 0);
      settings =
          new BackendSettings(
              Duration.ofMillis(50),
              COMMAND_TIMEOUT,
              1,
              2,
              2,
              10,
              QueueLimits.DEFAULTS,
              ReadSettings.MASTER_ONLY,
              Label.ONLY);
      send("a");
      Peer first = server.acceptUnanswered();
      first.expect("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING);

      first.expectClosed();

      server.acceptUnanswered().expect("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret\r\n" + NAMING);
      await().untilAsserted(() -> assertThat(events.getFirst()).contains("handshake timed out"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOPERM this user may not", "BUSY Redis is busy running a script."})
    void aConnectionIsUsedWithoutANameIfSetnameFails(String error) {
      send("a");
      Peer peer = server.acceptUnanswered().expect(NAMING).send("-" + error + "\r\n");

      peer.expect("<a>").send("+A\r\n");

      awaitLog("a +A\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOPERM this user may not", "BUSY Redis is busy running a script."})
    void aConnectionIsNotUsedIfSelectFails(String error) {
      access = new Access(null, 3);
      send("a");
      Peer peer = server.acceptUnanswered();
      peer.expect(NAMING + "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n").send("+OK\r\n-" + error + "\r\n");

      peer.expectClosed();

      await().until(() -> !events.isEmpty());
      assertThat(events.getFirst()).contains("handshake failed: " + error);
    }

    @Test
    void aSeparateConnectionSelectsNoDatabase() {
      access = new Access(null, 3);
      onLoop(() -> node().sendSeparately(new TestExchange("a", log, FAR, Protocol.RESP2, 1)));

      server.acceptUnanswered().expect(NAMING).send("+OK\r\n").expect("<a>").send("+A\r\n");

      awaitLog("a +A\r\n");
    }
  }

  /** Exchanges in flight and waiting when a connection is lost. */
  @Nested
  class LostConnections {

    @Test
    void aLostConnectionFailsOnlyExchangesInFlight() {
      send("a", "b", "c");
      Peer first = server.accept();
      first.expect("<a><b><c>").send("+A\r\n+B").close();
      awaitLog("a +A\r\n", "b CONNECTION_LOST", "c CONNECTION_LOST");

      send("d", "e");
      server.accept().expect("<d><e>").send("+D\r\n+E\r\n");

      awaitLog("a +A\r\n", "b CONNECTION_LOST", "c CONNECTION_LOST", "d +D\r\n", "e +E\r\n");
      assertThat(events)
          .hasSize(3)
          .startsWith("connected")
          .endsWith("connected")
          .element(1)
          .asString()
          .startsWith("disconnected after 0: ");
    }

    @Test
    void waitingExchangesAreSentInOrderOnceConnected() {
      server.stopListening();
      send("a", "b");
      await().until(() -> events.size() > 1);
      send("c");
      assertThat(events.getFirst()).startsWith("disconnected after 1: ");
      assertThat(events.get(1)).startsWith("disconnected after 2: ");

      server.listenAgain();

      server.accept().expect("<a><b><c>");
      assertThat(log).isEmpty();
    }

    @Test
    void anExchangeThatWaitsPastItsDeadlineFails() {
      server.stopListening();
      onLoop(() -> {
        node().send(new TestExchange("a", log, System.nanoTime() + 1), false);
        return node().send(exchange("b"), false);
      });

      tick(TimeUnit.SECONDS.toNanos(1));

      assertThat(log).containsExactly("a NOT_SENT");
      server.listenAgain();
      server.accept().expect("<b>");
    }

    @Test
    void aCallbackMaySendAgainWhileTheConnectionFails() {
      onLoop(() ->
          node().send(exchange("a").then(() -> node().send(exchange("again"), false)), false));
      Peer first = server.accept();
      first.expect("<a>").reset();

      server.accept().expect("<again>");
      assertThat(log).containsExactly("a CONNECTION_LOST");
    }

    @Test
    void waitingExchangesCanBeWithdrawnUnlessRedirected() {
      server.stopListening();
      onLoop(() -> {
        node().send(exchange("a"), false);
        node().send(exchange("asked"), true);
        return node().send(exchange("b"), false);
      });
      var taken = new ArrayDeque<Exchange>();

      onLoop(() -> {
        node().withdraw(_ -> true, taken);
        return null;
      });

      assertThat(taken).hasSize(2);
      taken.forEach(exchange -> exchange.onFailure(Failure.NO_OWNER));
      assertThat(log).containsExactly("a NO_OWNER", "b NO_OWNER");
      server.listenAgain();
      server.accept().expect("*1\r\n$6\r\nASKING\r\n<asked>");
    }
  }

  /** Nodes that do not answer in time. */
  @Nested
  class SilentNodes {

    @Test
    void anExpiredExchangeTimesOutAndOthersGetTheirReplies() {
      onLoop(() -> {
        node().send(new TestExchange("a", log, System.nanoTime() + 1), false);
        return node().send(exchange("b"), false);
      });
      Peer peer = server.accept();
      peer.expect("<a><b>");

      tick(TimeUnit.SECONDS.toNanos(1));
      assertThat(log).containsExactly("a TIMEOUT");
      peer.send("+late\r\n+B\r\n");

      awaitLog("a TIMEOUT", "b +B\r\n");
    }

    @Test
    void aSilentConnectionWithPendingRepliesIsClosed() {
      send("a");
      Peer peer = server.accept();
      peer.expect("<a>");

      tick(2 * COMMAND_TIMEOUT.toNanos());
      assertThat(log).isEmpty();
      tick(4 * COMMAND_TIMEOUT.toNanos());

      peer.expectClosed();
      assertThat(log).containsExactly("a CONNECTION_LOST");
      server.accept();
    }

    /** Connects and answers one request, so that nothing is pending. */
    private Peer idleConnection() {
      send("a");
      Peer peer = server.accept();
      peer.expect("<a>").send("+A\r\n");
      awaitLog("a +A\r\n");
      return peer;
    }

    @Test
    void anIdleConnectionIsNotPingedAtOnce() {
      Peer peer = idleConnection();

      tick(IDLE / 2);

      send("b");
      peer.expect("<b>");
    }

    @Test
    void aConnectionIdleForLongIsPinged() {
      Peer peer = idleConnection();

      tick(2 * IDLE);
      peer.expect(PING).send("-LOADING any reply will do\r\n");
      await().until(() -> stats().inFlight() == 0);
      tick(2 * IDLE + COMMAND_TIMEOUT.toNanos() * 4); // sends another PING

      send("b");
      peer.expect(PING + "<b>").send("+PONG\r\n+B\r\n");
      awaitLog("a +A\r\n", "b +B\r\n");
      assertThat(events).containsExactly("connected");
    }

    @Test
    void aConnectionIsClosedIfItsPingIsNotAnswered() {
      Peer peer = idleConnection();

      tick(2 * IDLE);
      peer.expect(PING);
      tick(2 * IDLE + COMMAND_TIMEOUT.toNanos() * 2);
      assertThat(events).containsExactly("connected");
      tick(2 * IDLE + COMMAND_TIMEOUT.toNanos() * 4);

      peer.expectClosed();
      Peer again = server.accept();
      send("b");
      again.expect("<b>").send("+B\r\n");
      awaitLog("a +A\r\n", "b +B\r\n");
    }
  }

  /** Bytes for which the connection is closed. */
  @Nested
  class InvalidReplies {

    @ParameterizedTest
    @ValueSource(
        strings = {
          "HTTP/1.1 400 Bad Request\r\n",
          "\u0016\u0003\u0001\u0002\u0000",
          "$-5\r\n",
          "$99999999999999999999\r\n",
          "*-2\r\n",
          "*?\r\n:1\r\n.\r\n",
          "$?\r\n;4\r\nabcd\r\n;0\r\n",
          "%-1\r\n",
          "|-1\r\n+OK\r\n",
          "*1\n+OK\n",
          "*2\r\n:1\r\n*1\r\n\0",
          "*999999999999999999\r\n*999999999999999999\r\n*999999999999999999\r\n"
        })
    void bytesThatAreNotRespCloseTheConnection(String bytes) {
      send("a", "b", "c");
      Peer peer = server.accept();
      peer.expect("<a><b><c>").send("+A\r\n" + bytes);

      peer.expectClosed();
      awaitLog("a +A\r\n", "b CONNECTION_LOST", "c CONNECTION_LOST");
      server.accept();
      assertThat(events).anyMatch(event -> event.contains("the node sent bytes that are not RESP"));
    }

    @Test
    void deeplyNestedRepliesAreHandled() {
      String deep = "*1\r\n".repeat(100_000) + ":1\r\n";
      send("a", "b");
      Peer peer = server.accept();

      peer.expect("<a><b>").send("|1\r\n+ttl\r\n:1\r\n+A\r\n" + deep);

      await().until(() -> !log.isEmpty() && log.getLast().startsWith("b last"));
      assertThat(log.getFirst()).isEqualTo("a |1\r\n+ttl\r\n:1\r\n+A\r\n");
      assertThat(log.stream().skip(1).mapToInt(part -> part.length() - "b part ".length()).sum())
          .isEqualTo(deep.length());
    }

    @Test
    void anUnexpectedReplyClosesTheConnection() {
      send("a");
      Peer peer = server.accept();
      peer.expect("<a>").send("+A\r\n+B\r\n");

      peer.expectClosed();
      server.accept();
      assertThat(events).anyMatch(event -> event.contains("an unexpected reply"));
    }
  }

  /** Nodes that are no longer needed. */
  @Nested
  class Closing {

    @Test
    void closingFailsExchangesInFlightAndLaterOnes() {
      send("a", "b");
      Peer peer = server.accept();
      peer.expect("<a><b>");

      onLoop(() -> {
        node().close();
        return node().send(exchange("c"), false);
      });

      assertThat(log).containsExactly("a CONNECTION_LOST", "b CONNECTION_LOST", "c NOT_SENT");
      peer.expectClosed();
    }

    @Test
    void closingFailsWaitingExchanges() {
      server.stopListening();
      send("a", "b");

      onLoop(() -> {
        node().close();
        return null;
      });

      assertThat(log).containsExactly("a NOT_SENT", "b NOT_SENT");
    }

    @Test
    void aRetiredNodeEndsWhenNothingIsPending() {
      send("a");
      Peer peer = server.accept();
      peer.expect("<a>");
      onLoop(() -> {
        node().retire();
        return null;
      });
      assertThat(tick(0)).isFalse();

      peer.send("+A\r\n");
      awaitLog("a +A\r\n");

      assertThat(tick(0)).isTrue();
    }
  }
}
