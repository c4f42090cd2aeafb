package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.SlotMaps;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.upstream.Shard;
import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocking calls, between a client and nodes whose every byte the test sends itself. */
class BlockingCallTest {

  private static final String NIL = "*-1\r\n";
  private static final String NO_ELEMENT = "+OK\r\n+QUEUED\r\n*1\r\n*-1\r\n";
  private static final String ELEMENT = "*2\r\n$1\r\na\r\n$1\r\nx\r\n";
  private static final String BLPOP = call("BLPOP a 0");
  private static final String NO_MULTI = "-NOPERM no multi\r\n";
  private static final String NO_EXEC = "-ERR EXEC without MULTI\r\n";
  private static final String UNBLOCK = call("CLIENT UNBLOCK 77 TIMEOUT");

  private static final String HELLO_3 =
      "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$5\r\nproto\r\n:3\r\n"
          + "$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
          + "$7\r\nmodules\r\n*0\r\n";

  private Rig rig = Rig.cluster();

  @AfterEach
  public void close() {
    rig.close();
  }

  private void restart(RigOptions options) {
    rig.close();
    rig = options.start();
  }

  private static String attempt(String call) {
    return call("MULTI") + withShortTimeout(call) + call("EXEC");
  }

  /** Returns the call with the shortest possible timeout, as in the first attempt. */
  private static String withShortTimeout(String call) {
    String least = "\\$5\r\n0.001\r\n";
    if (call.contains("MPOP\r\n")) {
      return call.replaceFirst("\\$1\r\n0\r\n", least);
    }
    return call.contains("BLOCK\r\n")
        ? call.replaceFirst("BLOCK\r\n\\$1\r\n0\r\n", "BLOCK\r\n\\$1\r\n1\r\n")
        : call.replaceFirst("\\$\\d+\r\n\\d+(\\.\\d+)?\r\n$", least);
  }

  /** Accepts the proxy's next connection to a node, which is for a single client. */
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

  /** Blocks a client. Returns the node's end of its connection. */
  private Peer block(Peer client, Peer node, String call) {
    client.send(call);
    node.expect(attempt(call)).send(NO_ELEMENT);
    return lease(1).expect(call);
  }

  /** A call is attempted once without blocking. */
  @Nested
  class FirstAttempt {

    @Test
    void anElementThatExistsNeedsNoLease() {
      Peer client = rig.client();
      client.send(BLPOP + PING);
      rig.accept(1).expect(attempt(BLPOP)).send("+OK\r\n+QUEUED\r\n*1\r\n" + ELEMENT);

      client.expect(ELEMENT + "+PONG\r\n");
      assertThat(stats(1).exclusive()).isZero();
    }

    @Test
    void aMissingElementIsWaitedForOnALease() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(get("a") + BLPOP + PING);
      node.expect(get("a") + attempt(BLPOP)).send("+v\r\n" + NO_ELEMENT);
      client.expect("+v\r\n");
      Peer lease = lease(1).expect(BLPOP);
      Peer other = rig.client();
      other.send(get("a"));
      node.expect(get("a")).send("+w\r\n");
      other.expect("+w\r\n");
      assertThat(client.pending()).isZero();

      lease.send(ELEMENT);

      client.expect(ELEMENT + "+PONG\r\n");
      client.send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease.expect(BLPOP).send(NIL); // the same connection again
      client.expect(NIL);
      assertThat(stats(1).exclusive()).isEqualTo(1);
      assertThat(stats(1).inFlight()).isZero();
    }

    @Test
    void theReplyToAnEarlierTransactionDoesNotResumeTheClient() {
      Peer client = rig.client();
      client.send(call("MULTI") + get("a") + call("EXEC") + BLPOP + PING + BLPOP + PING);
      Peer node = rig.accept(1).expect(attempt(get("a")) + attempt(BLPOP));
      node.send("+OK\r\n+QUEUED\r\n*1\r\n+v\r\n");
      client.expect("+OK\r\n+QUEUED\r\n*1\r\n+v\r\n");
      node.send(NO_ELEMENT);

      Peer lease = lease(1).expect(BLPOP);
      Peer other = rig.client();
      other.send(get("foo")); // nothing else is sent before the first call has ended
      node.expect(get("foo")).send("$-1\r\n");
      lease.send(ELEMENT);
      client.expect(ELEMENT + "+PONG\r\n");
      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease.expect(BLPOP).send(ELEMENT);

      client.expect(ELEMENT + "+PONG\r\n");
      assertThat(stats(1).exclusive()).isEqualTo(1);
    }

    @Test
    void errorsComeFromTheNode() {
      Peer client = rig.client();
      client.send(call("BLPOP a -1"));
      String error = "-ERR timeout is negative\r\n";
      rig.accept(1).expect(attempt(call("BLPOP a -1"))).send("+OK\r\n+QUEUED\r\n*1\r\n" + error);
      client.expect(error);
      client.send(call("BLPOP a b 1"));
      client.expect("-CROSSSLOT Keys in request don't hash to the same slot\r\n");
    }

    @Test
    void aCallThatIsNotAllowedInMultiBlocksAtOnce() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP);
      node.expect(attempt(BLPOP)).send("+OK\r\n-OOM no\r\n-EXECABORT …\r\n");
      lease(1).expect(BLPOP).send(ELEMENT);
      client.expect(ELEMENT);
    }

    @Test
    void withoutPermissionForExecACallBlocksAtOnce() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP);
      node.expect(attempt(BLPOP));
      node.send("+OK\r\n+QUEUED\r\n-EXECABORT Transaction discarded because of: NOPERM no\r\n");
      lease(1).expect(BLPOP).send(ELEMENT);
      client.expect(ELEMENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"BLPOP a x", "BLPOP a -1", "BLPOP a 1e99", "BLPOP a 1d", "BLPOP a inf"})
    void anInvalidTimeoutIsSentUnchanged(String call) {
      Peer client = rig.client();
      client.send(call(call));
      rig.accept(1).expect(call("MULTI") + call(call) + call("EXEC"));
    }

    @Test
    void aLargeReplyIsForwardedWhileItArrives() {
      Peer client = rig.client();
      String big = "*2\r\n$1\r\na\r\n" + Wire.bulk("x".repeat(200_000));
      client.send(BLPOP);
      Peer node = rig.accept(1).expect(attempt(BLPOP));
      node.send("+OK\r\n+QUEUED\r\n*1\r\n" + big.substring(0, 150_000));
      client.expect(big.substring(0, 100_000));
      node.send(big.substring(150_000));
      client.expect(big.substring(100_000));

      Peer lease = block(client, node, BLPOP);
      lease.send(big.substring(0, 150_000));
      client.expect(big.substring(0, 100_000));
      lease.send(big.substring(150_000));
      client.expect(big.substring(100_000));
    }
  }

  /** Nodes that do not allow the transaction of the first attempt. */
  @Nested
  class NodesWithoutMulti {

    @Test
    void anElementPoppedWithoutMultiGoesToTheClient() {
      Peer client = rig.client();
      client.send(BLPOP + PING);
      rig.accept(1).expect(attempt(BLPOP)).send(NO_MULTI + ELEMENT + NO_EXEC);
      client.expect(ELEMENT + "+PONG\r\n");
      assertThat(stats(1).exclusive()).isZero();
    }

    @Test
    void aLargeElementPoppedWithoutMultiGoesToTheClient() {
      Peer client = rig.client();
      String big = "*2\r\n$1\r\na\r\n" + Wire.bulk("x".repeat(200_000));
      client.send(BLPOP);
      Peer node = rig.accept(1).expect(attempt(BLPOP)).send(NO_MULTI + big.substring(0, 150_000));
      client.expect("");
      node.send(big.substring(150_000) + NO_EXEC);
      client.expect(big);
    }

    @Test
    void withoutMultiAMissingElementIsWaitedForOnALease() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_MULTI + NIL + NO_EXEC);
      Peer lease = lease(1).expect(BLPOP).send(ELEMENT);
      client.expect(ELEMENT).send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_MULTI + NIL + NO_EXEC);
      lease.expect(BLPOP).send(ELEMENT);
      client.expect(ELEMENT);
    }

    @Test
    void withoutMultiErrorsOfTheCallAreHandledAsUsual() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_MULTI + "-WRONGTYPE no\r\n" + NO_EXEC);
      client.expect("-WRONGTYPE no\r\n").send(BLPOP);
      String moved = "-MOVED " + Rig.SLOT_A + " 127.0.0.1:" + rig.address(0).port() + "\r\n";
      node.expect(attempt(BLPOP)).send(NO_MULTI + moved + NO_EXEC);
      rig.accept(0).expect(attempt(BLPOP)).send("+OK\r\n+QUEUED\r\n*1\r\n" + ELEMENT);
      client.expect(ELEMENT);
    }
  }

  /** Calls that end early, with or without a retry. */
  @Nested
  class Retries {

    @Test
    void aCallWithATimeoutHasADeadline() {
      Peer node = rig.connected(1);
      Peer patient = rig.client();
      block(patient, node, BLPOP);
      Peer client = rig.client();
      block(client, node, call("BLPOP a 50.5"));

      rig.tick(Duration.ofSeconds(149));
      node.expect(Wire.request("PING")).send("+PONG\r\n"); // a health check of an idle connection
      await().until(() -> stats(1).inFlight() == 2);
      rig.tick(Duration.ofSeconds(160));

      client.expect(
          "-TIMEOUT the node did not answer in time; the command may have run or may still run\r\n");
      rig.tick(Duration.ofDays(30));
      assertThat(patient.pending()).isZero();
      assertThat(stats(1).exclusive()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
      "-LOADING Redis is loading the dataset in memory",
      "-CLUSTERDOWN The cluster is down",
      "'-UNBLOCKED force unblock from blocking operation, instance state changed'"
    })
    void aCallEndedByARetryableErrorIsRetried(String refusal) {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      lease.send(refusal + "\r\n");

      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease.expect(BLPOP).send(ELEMENT);

      client.expect(ELEMENT);
    }

    @Test
    void aBlockedCallFollowsARedirect() {
      Peer node = rig.connected(1);
      Peer owner = rig.connected(0);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      lease.send("-MOVED 15495 127.0.0.1:" + rig.address(0).port() + "\r\n");

      owner.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease(0).expect(BLPOP).send(ELEMENT);

      client.expect(ELEMENT);
    }

    @Test
    void aRetryHasTheRemainingTimeout() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, call("BLPOP a 90"));
      lease.send("-CLUSTERDOWN The cluster is down\r\n");
      node.expect(attempt(call("BLPOP a 90"))).send(NO_ELEMENT);

      String again = lease.read(call("BLPOP a 89.999").length());

      assertThat(again).startsWith("*3\r\n$5\r\nBLPOP\r\n$1\r\na\r\n$6\r\n8");
    }

    @Test
    void aBlockedCallFollowsItsSlotToANewNode() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      SlotMap map = rig.topology().current();
      rig.publish(map.withSlotOn(Rig.SLOT_A, rig.address(0)));
      Peer owner = rig.accept(0);
      lease.send("-MOVED 15495 127.0.0.1:" + rig.address(0).port() + "\r\n");

      owner.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease(0).expect(BLPOP).send(ELEMENT);

      client.expect(ELEMENT);
    }

    @Test
    void afterAConnectionLossOnlyReadsAreRetried() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      block(client, node, BLPOP).close();
      client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");

      String xread = call("XREAD BLOCK 0 STREAMS a 0");
      block(client, node, xread).close();
      node.expect(attempt(xread)).send(NO_ELEMENT);
      lease(1).expect(xread).send("*-1\r\n");
      client.expect(NIL);
    }

    @Test
    void aReadIsRetriedIfItsPendingReplyIsCutOff() {
      String xread = call("XREAD BLOCK 0 STREAMS a 0");
      String entries = "*1\r\n*2\r\n$1\r\na\r\n*1\r\n" + Wire.bulk("x".repeat(100_000));
      Peer slow = rig.connected(0);
      Peer node = rig.accept(1);
      Peer client = rig.client();
      client.send(get("b") + xread);
      slow.expect(get("b"));
      node.expect(attempt(xread)).send(NO_ELEMENT);
      Peer lease = lease(1).expect(xread).send(entries.substring(0, 50_000));
      await().until(() -> rig.bytesReceivedFrom(1) > 50_000);
      lease.close();

      node.expect(attempt(xread)).send("+OK\r\n+QUEUED\r\n*1\r\n" + entries.substring(0, 50_000));
      await().until(() -> rig.bytesReceivedFrom(1) > 100_000);
      node.close();
      Peer again = rig.accept(1).expect(attempt(xread));
      again.send("+OK\r\n+QUEUED\r\n*1\r\n" + entries);
      slow.send("$1\r\nb\r\n");

      client.expect("$1\r\nb\r\n" + entries);
    }

    @Test
    void theEndOfAStreamIsWhereItWasWhenTheCallBegan() {
      Peer client = rig.client();
      client.send(call("XREAD BLOCK 0 STREAMS a b{a} c{a} $ 7-1 $"));
      Peer node = rig.connected(1);
      String last = "*1\r\n*1\r\n*2\r\n" + Wire.bulk("5-1") + "*0\r\n";
      node.expect(call("MULTI") + call("XREVRANGE a + - COUNT 1") + call("EXEC"))
          .send("+OK\r\n+QUEUED\r\n" + last);
      node.expect(call("MULTI") + call("XREVRANGE c{a} + - COUNT 1") + call("EXEC"))
          .send("+OK\r\n+QUEUED\r\n*1\r\n*0\r\n");

      String found = call("XREAD BLOCK 0 STREAMS a b{a} c{a} 5-1 7-1 0-0");
      node.expect(attempt(found)).send(NO_ELEMENT);
      lease(1).expect(found).close();
      node.expect(attempt(found)).send("+OK\r\n+QUEUED\r\n*1\r\n" + ELEMENT);
      client.expect(ELEMENT);
    }

    @Test
    void callsBlockedOnARemovedNodeEnd() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      rig.publish(SlotMaps.oneMaster(rig.address(0)));
      rig.accept(0);

      rig.tick(Duration.ofSeconds(301));

      lease.expectClosed();
      client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
      assertThat(List.of(node.pending())).containsExactly(0);
    }
  }

  /** The leased connections of blocked clients. */
  @Nested
  class LeasedConnections {

    @Test
    void infoCountsBlockingKeys() {
      Peer node = rig.connected(1);
      Peer first = rig.client();
      Peer firstLease = block(first, node, call("BLPOP a{a} b{a} a{a} 0"));
      Peer second = rig.client();
      block(second, node, call("BLPOP b{a} c{a} 0"));
      Peer third = rig.client();
      String read = call("XREADGROUP GROUP g c BLOCK 0 STREAMS s{a} c{a} > >");
      block(third, node, read);
      await().until(() -> rig.sessions().traffic().blockedClients() == 3);
      Peer other = rig.client();

      assertThat(other.send(call("INFO clients")).readBulk())
          .contains("\r\ntotal_blocking_keys:4\r\ntotal_blocking_keys_on_nokey:2\r\n");

      firstLease.send(NIL);
      first.expect(NIL);
      assertThat(other.send(call("INFO clients")).readBulk())
          .contains("\r\ntotal_blocking_keys:3\r\n");
    }

    @Test
    void connectingIsRetriedUntilTheCommandTimeout() {
      restart(new RigOptions().commandTimeout(Duration.ofMillis(200)));
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP);
      Thread.ofVirtual()
          .start(() -> {
            while (node.read(attempt(BLPOP).length()).equals(attempt(BLPOP))) {
              node.send(NO_ELEMENT);
              rig.acceptUnanswered(1).send("-ERR max number of clients reached\r\n").close();
            }
          });

      client.expect(
          "-UNAVAILABLE the node "
              + rig.address(1)
              + " does not accept connections from this proxy: ERR max number of clients reached;"
              + " the command did not run\r\n");
    }

    @Test
    void leasedConnectionsAreLimited() {
      restart(new RigOptions().exclusiveConnections(1).named("orders"));
      Peer node = rig.connected(1);
      Peer lease = block(rig.client(), node, BLPOP);
      Peer client = rig.client();
      try (LogLines log = LogLines.of("node.LeasePool")) {
        client.send(BLPOP);
        node.expect(attempt(BLPOP)).send(NO_ELEMENT);

        client.expect("-OVERLOADED too many exclusive connections to this node;");
        client.expect(" the command did not run\r\n");
        assertThat(log.get())
            .singleElement()
            .asString()
            .startsWith("Upstream orders: All 1 exclusive connections");
      }
      lease.send(NIL);
      client.send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease.expect(BLPOP);
    }

    @Test
    void idleLeasedConnectionsAreClosed() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP).send(NIL);
      client.expect(NIL);

      rig.tick(Duration.ofSeconds(11));

      lease.expectClosed();
      assertThat(stats(1).exclusive()).isZero();
    }

    @Test
    void resp3HasItsOwnConnectionsAndNull() {
      rig.connected(1);
      Peer client = rig.client();
      client.send(call("HELLO 3")).expect(HELLO_3).send(BLPOP);
      Peer node = rig.acceptUnanswered(1).expect(call("HELLO 3") + NAMING);
      node.send("%0\r\n+OK\r\n").expect(attempt(BLPOP)).send("+OK\r\n+QUEUED\r\n*1\r\n_\r\n");
      Peer lease = rig.acceptUnanswered(1).expect(call("HELLO 3") + NAMING + call("CLIENT ID"));
      lease.send("%0\r\n+OK\r\n:5\r\n").expect(BLPOP).send("_\r\n");

      client.expect("_\r\n");
    }
  }

  /** Calls that the client, another client or the proxy ends. */
  @Nested
  class EndedCalls {

    @Test
    void theCallOfADisconnectedClientIsUnblocked() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      client.close();

      node.expect(UNBLOCK).send(":0\r\n"); // the call had not arrived there yet
      node.expect(UNBLOCK);
      lease.send(NIL);
      node.send(":1\r\n");

      Peer next = rig.client();
      next.send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      lease.expect(BLPOP); // the lease has been released
    }

    @Test
    void onlyTheNodeOfTheCallReceivesClientUnblock() {
      Peer node = rig.connected(1);
      Peer other = rig.accept(0);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      rig.server(1).stopListening();
      node.close();
      await().until(() -> stats(1).errors() > 0);
      client.close();
      await().until(() -> rig.onLoop(() -> rig.dispatcher().nodes().heldRequests().size()) == 1);

      rig.publish(
          new SlotMap.Builder()
              .shard(new Shard(rig.address(0), List.of(), 1))
              .range(0, 16_383)
              .build());

      Peer another = rig.client();
      another.send(get("a"));
      other.expect(get("a"));
      rig.tick(Duration.ofSeconds(101)); // the longest time for CLIENT UNBLOCK
      lease.expectClosed();
    }

    @Test
    void aHalfClosedClientIsClosedWhenItBlocks() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP + BLPOP).finishSending();
      node.expect(attempt(BLPOP)).send("+OK\r\n+QUEUED\r\n*1\r\n" + ELEMENT);
      client.expect(ELEMENT);
      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      client.expectClosed();
      assertThat(stats(1).exclusive()).isZero();

      Peer other = rig.client();
      Peer lease = block(other, node, BLPOP);
      other.finishSending();
      node.expect(UNBLOCK);
      lease.send(NIL);
      other.expectClosed();
    }

    @Test
    void clientUnblockEndsABlockedCall() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      Peer other = rig.client();
      await().until(() -> list(other).contains(" flags=b ") && list(other).contains(" cmd=blpop "));
      other.send(call("CLIENT UNBLOCK 1 ERROR"));
      node.expect(call("CLIENT UNBLOCK 77 ERROR")).send(":1\r\n");
      lease.send("-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");
      other.expect(":1\r\n");
      client.expect("-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n");

      other.send(call("CLIENT UNBLOCK 1") + call("CLIENT UNBLOCK 4711")).expect(":0\r\n:0\r\n");
      other.send(call("CLIENT UNBLOCK x") + call("CLIENT UNBLOCK 1 BOGUS"));
      other.expect("-ERR value is not an integer or out of range\r\n");
      other.expect("-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR\r\n");
    }

    private static String list(Peer client) {
      client.send(call("CLIENT LIST ID 1"));
      String head = client.read(4);
      int length = Integer.parseInt(head.substring(1));
      return client.read(2 + length + 2);
    }

    @Test
    void clientUnblockEndsACallThatIsStillConnecting() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(BLPOP);
      node.expect(attempt(BLPOP)).send(NO_ELEMENT);
      rig.acceptUnanswered(1).expect(NAMING + call("CLIENT ID"));
      Peer other = rig.client();
      assertThat(list(other)).as("not sent to a node yet").doesNotContain(" flags=b ");

      other.send(call("CLIENT UNBLOCK 1")).expect(":1\r\n");

      client.expect(NIL);
    }

    @Test
    void blockedClientsGetAnErrorOnShutdown() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      Peer lucky = rig.client();
      Peer other = block(lucky, node, BLPOP);

      rig.onLoop(() -> {
        rig.sessions().drain();
        return true;
      });

      node.expect(UNBLOCK + UNBLOCK).send(":1\r\n:1\r\n");
      lease.send(NIL);
      other.send(ELEMENT);
      client
          .expect("-UNAVAILABLE this proxy is closing the connection; the command did not run\r\n")
          .expectClosed();
      lucky.expect(ELEMENT).expectClosed();
    }

    @Test
    void aLateUnblockDoesNotAffectTheNextCall() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      client.close();
      node.expect(UNBLOCK);
      lease.send(NIL); // by itself
      await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
      Peer next = rig.client();
      next.send(BLPOP);
      node.expect(attempt(BLPOP)).send(":0\r\n" + NO_ELEMENT);
      lease(1).expect(BLPOP).send(ELEMENT); // another connection, or the same one later
      next.expect(ELEMENT);
    }
  }

  /** Elements that were popped for a client that has disconnected. */
  @Nested
  class UndonePops {

    @Test
    void aLargeElementThatArrivesInPartsIsPutBack() {
      Peer client = rig.client();
      client.send(BLPOP);
      Peer node = rig.accept(1).expect(attempt(BLPOP));
      client.reset();
      await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
      String element = "x".repeat(200_000);
      String reply = "+OK\r\n+QUEUED\r\n*1\r\n*2\r\n$1\r\na\r\n" + Wire.bulk(element);

      long before = rig.bytesReceivedFrom(1);
      node.send(reply.substring(0, 150_000));
      await().until(() -> rig.bytesReceivedFrom(1) - before == 150_000);
      node.send(reply.substring(150_000));

      node.expect(Wire.request("LPUSH", "a", element)).send(":1\r\n");
    }

    @ParameterizedTest
    @CsvSource({
      "BLPOP a 0, *2 $1 a $1 x, LPUSH a x",
      "BRPOP a 0, *2 $1 a $1 x, RPUSH a x",
      "BLMPOP 0 1 a LEFT COUNT 2, *2 $1 a *2 $1 x $1 y, LPUSH a y x",
      "BLMPOP 0 1 a RIGHT COUNT 2, *2 $1 a *2 $1 z $1 y, RPUSH a y z",
      "BZPOPMIN a 0, *3 $1 a $1 m $3 1.5, ZADD a 1.5 m",
      "BZPOPMAX a 0, '*3 $1 a $1 m ,1.5', ZADD a 1.5 m",
      "BZMPOP 0 1 a MIN COUNT 2, *2 $1 a *2 *2 $1 m $1 1 *2 $1 n $1 2, ZADD a 1 m 2 n"
    })
    void anElementPoppedForADisconnectedClientIsPutBack(String call, String reply, String undone) {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, call(call));
      client.close();
      node.expect(UNBLOCK);

      lease.send(reply.replace(" ", "\r\n") + "\r\n");

      node.expect(call(undone)).send(":0\r\n-TRYAGAIN Multiple keys\r\n");
      node.expect(call(undone)).send(":1\r\n");
      await().until(() -> stats(1).inFlight() == 0);
    }

    @Test
    void anElementThatCannotBePutBackIsLogged() {
      restart(new RigOptions().named("orders"));
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, BLPOP);
      client.close();
      node.expect(UNBLOCK);
      try (LogLines log = LogLines.of("blocking.UndoPop")) {
        lease.send("*2\r\n$1\r\na\r\n$1\r\nx\r\n");
        node.expect(call("LPUSH a x")).send(":0\r\n-OOM no\r\n");

        await().until(() -> !log.get().isEmpty());
        assertThat(log.get())
            .containsExactly(
                "Upstream orders: Could not put back what a node popped for a disconnected client:"
                    + " -OOM no");
      }
    }

    /**
     * The part that arrived before the client disconnected cannot be put back, and the rest is not
     * a reply.
     */
    @Test
    void theRestOfAReplyIsNotParsedAsAReply() {
      Peer slow = rig.connected(0);
      Peer node = rig.accept(1);
      Peer client = rig.client();
      client.send(get("b"));
      slow.expect(get("b")); // keeps the reply to the call waiting
      Peer lease = block(client, node, BLPOP);
      String filling = "y".repeat(50_000);
      String rest = "*2\r\n$1\r\na\r\n$1\r\nz"; // looks like a reply
      String element = filling + rest;
      String beginning = "*2\r\n$1\r\na\r\n$" + element.length() + "\r\n" + filling;
      long received = rig.bytesReceivedFrom(1) + beginning.length();
      lease.send(beginning);
      await().until(() -> rig.bytesReceivedFrom(1) == received);
      client.reset();
      node.expect(UNBLOCK).send(":1\r\n");

      lease.send(rest + "\r\n");

      await().until(() -> stats(1).inFlight() == 0); // so nothing is being put back
      assertNothingElseSentTo(node);
    }

    private void assertNothingElseSentTo(Peer node) {
      Peer other = rig.client();
      other.send(get("a"));
      node.expect(get("a"));
    }

    @Test
    void movedElementsAreNotPutBack() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer lease = block(client, node, call("BLMOVE a {a}b LEFT LEFT 0"));
      client.close();
      node.expect(UNBLOCK);
      lease.send("$1\r\nx\r\n");
      node.send(":0\r\n");

      Peer other = rig.client();
      other.send(get("a"));
      node.expect(get("a"));
    }
  }
}
