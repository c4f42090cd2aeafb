package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.observe.ProxyStats.HeldStats;
import io.penstock.core.upstream.RetryablePrefix;
import io.penstock.core.upstream.Shard;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors of nodes and missing replies, byte by byte and in a fixed order of events. */
class RetriesTest {

  private static final Duration FAR = Duration.ofSeconds(200);
  private static final String PONG = "+PONG\r\n";

  /**
   * A timeout that the test waits for; long enough for an error reply to arrive before it on a busy
   * machine.
   */
  private static final Duration UNTIL_THE_DEADLINE = Duration.ofSeconds(1);

  private static final String BIG = Wire.bulk("x".repeat(100_000));

  private Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  private void restart(RigOptions options) {
    rig.close();
    rig = options.start();
  }

  private String moved(int slot, int node) {
    return "-MOVED " + slot + " 127.0.0.1:" + rig.address(node).port() + "\r\n";
  }

  private String ask(int slot, int node) {
    return "-ASK " + slot + " 127.0.0.1:" + rig.address(node).port() + "\r\n";
  }

  /** Asserts that the node was sent nothing else before the request that this client sends now. */
  private void assertNothingElseSentTo(Peer node, String key) {
    assertNothingElseSentTo(node, key, "");
  }

  /**
   * @param owed the replies of the node to earlier requests
   */
  private void assertNothingElseSentTo(Peer node, String key, String owed) {
    Peer other = rig.client();
    other.send(get(key));
    node.expect(get(key)).send(owed + "$-1\r\n");
    other.expect("$-1\r\n").close();
  }

  /** When this client has its reply, the loop has read everything that the node sent before. */
  private void passThrough(Peer node, String key) {
    assertNothingElseSentTo(node, key);
  }

  /** Answers the request in the same way as often as it arrives. */
  private static void answerAlways(Peer node, int requestLength, String reply) {
    Thread.ofVirtual()
        .start(() -> {
          while (node.read(requestLength).length() == requestLength) {
            node.send(reply);
          }
        });
  }

  private boolean firstSessionHolds() {
    return rig.onLoop(() -> !rig.sessions().sessions().iterator().next().input().isEmpty());
  }

  /** MOVED and ASK. */
  @Nested
  class Redirects {

    @Test
    void movedIsFollowedAndUpdatesTheSlotMap() {
      Peer client = rig.client();
      client.send(get("a"));
      rig.accept(1).expect(get("a")).send(moved(Rig.SLOT_A, 0));
      Peer owner = rig.accept(0).expect(get("a")).send("$1\r\nv\r\n");
      client.expect("$1\r\nv\r\n");

      client.send(get("a"));
      owner.expect(get("a")).send("$1\r\nw\r\n");

      client.expect("$1\r\nw\r\n");
      assertThat(rig.topology().calls()).containsExactly("moved 15495 to " + rig.address(0).port());
      assertThat(rig.<Long>onLoop(() -> rig.sessions().counters().redirects(RetryablePrefix.MOVED)))
          .isEqualTo(1);
    }

    @Test
    void movedWithoutAHostMeansTheHostOfTheNode() {
      Peer client = rig.client();
      client.send(get("a"));
      rig.accept(1).expect(get("a")).send("-MOVED 15495 :" + rig.address(0).port() + "\r\n");

      rig.accept(0).expect(get("a")).send("$1\r\nv\r\n");

      client.expect("$1\r\nv\r\n");
    }

    @Test
    void movedForAKeyThatOnlyTheNodeKnowsIsFollowed() {
      Peer client = rig.client();
      String noNumber = call("ZUNION x a");
      client.send(noNumber);
      rig.accept(0).expect(noNumber).send(moved(Rig.SLOT_A, 1));

      rig.accept(1).expect("*1\r\n$6\r\nASKING\r\n" + noNumber).send("+OK\r\n-ERR not one\r\n");

      client.expect("-ERR not one\r\n");
    }

    @Test
    void askIsFollowedWithAskingAndChangesNoSlotMap() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer migrating = rig.accept(1).expect(set("a", "1")).send(ask(Rig.SLOT_A, 0));
      Peer importing = rig.accept(0).expect("*1\r\n$6\r\nASKING\r\n" + set("a", "1"));
      importing.send("+OK\r\n+DONE\r\n");
      client.expect("+DONE\r\n");

      client.send(get("a"));
      migrating.expect(get("a")).send("$-1\r\n");

      client.expect("$-1\r\n");
      assertThat(rig.topology().calls()).containsExactly("refresh ASK");
    }

    @Test
    void askIsFollowedAfterAnyNumberOfTryagain() {
      Peer client = rig.client();
      String both = call("MGET {a}1 {a}2");
      client.send(both);
      Peer migrating = rig.accept(1);
      Peer importing = rig.accept(0);
      for (int i = 0; i < 6; i++) {
        migrating.expect(both).send(ask(Rig.SLOT_A, 0));
        importing.expect(call("ASKING") + both).send("+OK\r\n-TRYAGAIN later\r\n");
      }
      migrating.expect(both).send(ask(Rig.SLOT_A, 0));
      importing.expect(call("ASKING") + both).send("+OK\r\n+DONE\r\n");

      client.expect("+DONE\r\n");
    }

    @Test
    void circularRedirectsAreRetriedAfterADelay() {
      Peer client = rig.client();
      client.send(get("a"));
      Peer migrating = rig.accept(1);
      Peer importing = rig.accept(0);
      for (int i = 0; i < 2; i++) {
        migrating.expect(get("a")).send(ask(Rig.SLOT_A, 0));
        importing.expect(call("ASKING") + get("a")).send("+OK\r\n" + moved(Rig.SLOT_A, 1));
      }
      migrating.expect(get("a")).send(ask(Rig.SLOT_A, 0)); // the fifth one has to wait
      migrating.expect(get("a")).send(ask(Rig.SLOT_A, 0));
      importing.expect(call("ASKING") + get("a")).send("+OK\r\n$1\r\nv\r\n");

      client.expect("$1\r\nv\r\n");
    }

    @Test
    void aRedirectCutInTwoIsFollowed() {
      Peer client = rig.client();
      client.send(get("a"));
      Peer node = rig.accept(1).expect(get("a"));
      for (char c : moved(Rig.SLOT_A, 0).toCharArray()) {
        node.send(String.valueOf(c));
      }

      rig.accept(0).expect(get("a")).send("+v\r\n");
      client.expect("+v\r\n");
    }

    @Test
    void askedRequestsFollowOneAnotherInOrder() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2") + set("a", "3"));
      Peer old = rig.accept(1).expect(set("a", "1") + set("a", "2") + set("a", "3"));
      Peer importing = rig.accept(0);

      old.send(ask(Rig.SLOT_A, 0) + ask(Rig.SLOT_A, 0) + ask(Rig.SLOT_A, 0));

      String asking = call("ASKING");
      importing.expect(asking + set("a", "1") + asking + set("a", "2") + asking + set("a", "3"));
      importing.send("+OK\r\n+1\r\n+OK\r\n+2\r\n+OK\r\n+3\r\n");
      client.expect("+1\r\n+2\r\n+3\r\n");
    }

    @Test
    void movedRequestsFollowAfterTheFirstIsAnswered() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2") + set("a", "3"));
      Peer old = rig.accept(1).expect(set("a", "1") + set("a", "2") + set("a", "3"));
      Peer owner = rig.accept(0);

      old.send(moved(Rig.SLOT_A, 0) + moved(Rig.SLOT_A, 0) + moved(Rig.SLOT_A, 0));

      owner.expect(set("a", "1"));
      assertNothingElseSentTo(owner, "b", "+1\r\n");
      owner.expect(set("a", "2") + set("a", "3")).send("+2\r\n+3\r\n");
      client.expect("+1\r\n+2\r\n+3\r\n");
    }

    @Test
    void anOvertakenRedirectedRequestIsNotSentAgain() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      Peer one = rig.accept(1).expect(set("a", "1") + set("a", "2"));
      one.send(ask(Rig.SLOT_A, 0));
      Peer other = rig.accept(0).expect(call("ASKING") + set("a", "1"));

      one.send("+2\r\n"); // the key is here again
      passThrough(one, "foo");
      other.send("+OK\r\n" + moved(Rig.SLOT_A, 1));

      client.expect(
          "-UNAVAILABLE the slot is being migrated; the command did not run\r\n" + "+2\r\n");
      assertNothingElseSentTo(one, "foo");
    }

    static IntStream looks() {
      return IntStream.range(
          60, 80); // one each for the earlier replies, and then one for each exchange
    }

    @ParameterizedTest
    @MethodSource("looks")
    void routeChangesBetweenAttemptsKeepTheOrder(int looks) {
      int many = 70; // more than are sent again at once
      StringBuilder requests = new StringBuilder();
      StringBuilder refusals = new StringBuilder();
      StringBuilder replies = new StringBuilder();
      for (int i = 10; i < 10 + many; i++) {
        requests.append(set("a", "" + i));
        refusals.append(ask(Rig.SLOT_A, 0));
        replies.append("+").append(i).append("\r\n");
      }
      Peer client = rig.client();
      client.send(requests.toString());
      Peer old = rig.accept(1).expect(requests.toString()).send(refusals.toString());
      Peer owner = rig.accept(0);
      int next = 10;
      for (; next < 75; next++) {
        owner.expect(call("ASKING") + set("a", "" + next));
      }
      SlotMap moved =
          rig.onLoop(() -> rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));
      rig.publishAfter(looks, moved);
      for (int i = 10; i < 75; i++) {
        owner.send("+OK\r\n+" + i + "\r\n");
      }

      for (; next < 10 + many; next++) {
        Peer holder = firstPending(old, owner);
        if (holder == old) {
          assertNothingElseSentTo(owner, "b");
        }
        holder.expect(set("a", "" + next)).send("+" + next + "\r\n");
      }
      client.expect(replies.toString());
    }

    private static Peer firstPending(Peer one, Peer other) {
      await().until(() -> one.pending() > 0 || other.pending() > 0);
      return one.pending() > 0 ? one : other;
    }

    @Test
    void redirectsOfASingleServerAreForwarded() {
      restart(new RigOptions().single());
      Peer client = rig.client();
      client.send(get("a"));
      Peer node = rig.accept(0).expect(get("a")).send("-MOVED 15495 127.0.0.1:1\r\n");
      client.expect("-MOVED 15495 127.0.0.1:1\r\n");

      client.send(get("a"));
      node.expect(get("a")).send("-LOADING still\r\n").expect(get("a")).send("$-1\r\n");

      client.expect("$-1\r\n");
    }

    @Test
    void aNodeThatJoinsByARedirectIsConnectedTo() {
      rig.publish(
          new SlotMap.Builder()
              .shard(new Shard(rig.address(1), List.of(), 1))
              .range(0, 16_383)
              .build());
      Peer client = rig.client();
      client.send(get("b"));
      rig.accept(1).expect(get("b")).send(moved(Rig.SLOT_B, 0));

      rig.accept(0).expect(get("b")).send("$1\r\nv\r\n");

      client.expect("$1\r\nv\r\n");
    }
  }

  /** TRYAGAIN, CLUSTERDOWN, LOADING, and errors that are replies. */
  @Nested
  class Refusals {

    @ParameterizedTest
    @ValueSource(
        strings = {
          "-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
          "-CLUSTERDOWN The cluster is down\r\n",
          "-LOADING Redis is loading the dataset in memory\r\n"
        })
    void retryableErrorsAreRetried(String refusal) {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer node = rig.accept(1);
      for (int i = 0; i < 4; i++) {
        node.expect(set("a", "1")).send(refusal);
      }
      node.expect(set("a", "1")).send("+OK\r\n");

      client.expect("+OK\r\n");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "-ERR no\r\n",
          "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
          "-MOVED\r\n",
          "-MOVED x 127.0.0.1:1\r\n",
          "-MOVED 15495 127.0.0.1\r\n",
          "-MOVEDX 15495 127.0.0.1:1\r\n",
          "-ASKING\r\n",
          "-LOADINGS are full\r\n",
          "-TRYAGAIN\r\n"
        })
    void otherErrorsGoToTheClient(String error) {
      Peer client = rig.client();
      client.send(get("a"));
      rig.accept(1).expect(get("a")).send(error);

      client.expect(error);
    }

    @Test
    void atTheDeadlineTheRetryableErrorIsForwarded() {
      Duration timeout = Duration.ofSeconds(100);
      restart(new RigOptions().commandTimeout(timeout));
      String refusal = "-CLUSTERDOWN The cluster is down\r\n";
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer node = rig.accept(1).expect(set("a", "1")).send(refusal).expect(set("a", "1"));
      rig.advance(timeout);

      node.send(refusal);

      client.expect(refusal);
      assertThat(rig.topology().calls()).contains("refresh UNCOVERED_SLOT");
    }

    @Test
    void allRetriedRequestsAreAnsweredAtTheDeadline() {
      restart(new RigOptions().commandTimeout(UNTIL_THE_DEADLINE));
      String refusal = "-CLUSTERDOWN The cluster is down\r\n";
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2") + set("a", "3"));
      answerAlways(rig.accept(1), set("a", "1").length(), refusal);

      client.expect(refusal + refusal + refusal);
    }

    @Test
    void theFirstRetryIsSentAlone() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2") + set("a", "3"));
      Peer node = rig.accept(1).expect(set("a", "1") + set("a", "2") + set("a", "3"));
      node.send("-LOADING still\r\n-LOADING still\r\n-LOADING still\r\n");

      node.expect(PING).send(PONG).expect(set("a", "1"));
      Peer other = rig.client();
      other.send(get("foo")); // nothing else is sent before the first one is answered
      node.expect(get("foo")).send("+1\r\n$-1\r\n");

      node.expect(set("a", "2") + set("a", "3")).send("+2\r\n+3\r\n");
      client.expect("+1\r\n+2\r\n+3\r\n");
    }

    @Test
    void atAFullNodeARetryStillWaitsForLaterRequests() {
      restart(new RigOptions().bounds(new QueueLimits(4_096, 1 << 20)));
      String refusal = "-CLUSTERDOWN The cluster is down\r\n";
      Peer node = rig.connected(1);
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      node.expect(set("a", "1") + set("a", "2"));
      Peer other = rig.client();
      String large = set("foo", "x".repeat(32 << 20));
      other.send(large); // which the node does not read yet
      await().until(() -> !rig.onLoop(() -> rig.dispatcher().isWritable(rig.address(1), 0)));

      node.send(refusal);
      node.expect(large).send("+OK\r\n+OK\r\n");

      client.expect(refusal + "+OK\r\n");
      other.expect("+OK\r\n");
    }
  }

  /** Requests of several keys, transactions, and requests for every shard. */
  @Nested
  class SeveralKeys {

    @Test
    void redirectedMultiKeyRequestsAreSentAlone() {
      Peer client = rig.client();
      String both = call("MSET {a}1 x {a}2 y");
      client.send(both + set("{a}3", "z"));
      Peer old = rig.accept(1).expect(both + set("{a}3", "z"));
      Peer owner = rig.accept(0);
      old.send(moved(Rig.SLOT_A, 0) + moved(Rig.SLOT_A, 0));

      owner.expect(both).send("-TRYAGAIN later\r\n").expect(PING).send(PONG).expect(both);
      Peer other = rig.client();
      other.send(get("b"));
      owner.expect(get("b")).send("+OK\r\n$-1\r\n");

      owner.expect(set("{a}3", "z")).send("+Z\r\n");
      client.expect("+OK\r\n+Z\r\n");
    }

    @ParameterizedTest
    @CsvSource({
      "MGET {a}1 {a}2, SET {a}1 x",
      "MSET {a}1 x {a}2 y, GET {a}2",
      "MSET {a}1 x {a}2 y, MSET {a}2 v {a}3 w",
      "SUNIONSTORE {a}1 {a}2, DEL {a}1 b",
      "EVAL s 2 {a}1 {a}2, SET {a}1 x",
      "FCALL f 2 {a}1 {a}2, FLUSHALL",
    })
    void aConflictingRequestWaitsForAMultiKeyOne(String several, String later) {
      Peer lower = rig.connected(0);
      Peer node = rig.accept(1);
      Peer client = rig.client();
      client.send(call(several) + call(later));
      node.expect(call(several))
          .send("-TRYAGAIN Multiple keys request during rehashing of slot\r\n")
          .expect(call(several));
      assertNothingElseSentTo(node, "foo", "+1\r\n");

      if (later.startsWith("DEL")) {
        lower.expect(call("DEL b")).send(":1\r\n");
        node.expect(call("DEL {a}1")).send(":1\r\n");
        client.expect("+1\r\n:2\r\n");
      } else if (later.equals("FLUSHALL")) {
        lower.expect(call(later)).send("+OK\r\n");
        node.expect(call(later)).send("+OK\r\n");
        client.expect("+1\r\n+OK\r\n");
      } else {
        node.expect(call(later)).send("+2\r\n");
        client.expect("+1\r\n+2\r\n");
      }
    }

    @ParameterizedTest
    @CsvSource({
      "MGET {a}1 {a}2, GET {a}1", // neither one writes
      "MGET {a}1 {a}2, MGET {a}1 {a}2",
      "MSET {a}1 x {a}2 y, SET {a}3 z",
      "MSET {a}1 x {a}2 y, GET foo",
      "EVAL s 1 {a}1, SET {a}1 x", // not of several keys
      "MGET {a}1, SET {a}1 x",
      "MSET {a}1 x {a}1 y, SET {a}1 z",
    })
    void nonConflictingRequestsDoNotWaitForAMultiKeyOne(String several, String later) {
      Peer client = rig.client();
      client.send(call(several) + call(later));
      Peer node = rig.accept(1).expect(call(several) + call(later));

      node.send("+1\r\n+2\r\n");

      client.expect("+1\r\n+2\r\n");
    }

    @Test
    void aConflictingRequestWaitsForAMultiKeyPart() {
      Peer client = rig.client();
      client.send(call("MSET b 0 {a}1 x {a}2 y") + set("{a}1", "z") + get("b"));
      Peer lower = rig.accept(0).expect(call("MSET b 0"));
      Peer upper = rig.accept(1).expect(call("MSET {a}1 x {a}2 y"));
      upper.send("-TRYAGAIN later\r\n").expect(call("MSET {a}1 x {a}2 y"));
      assertNothingElseSentTo(upper, "foo", "+OK\r\n");

      upper.expect(set("{a}1", "z")).send("+Z\r\n"); // although the other part is not answered
      lower.expect(get("b")).send("+OK\r\n$1\r\n0\r\n");

      client.expect("+OK\r\n+Z\r\n$1\r\n0\r\n");
    }

    @Test
    void aConflictingRequestWaitsForAMultiKeyTransaction() {
      String block = call("MULTI") + set("{a}1", "x") + set("{a}2", "y") + call("EXEC");
      Peer client = rig.client();
      client.send(block + set("{a}3", "z") + set("{a}2", "z"));
      Peer node = rig.accept(1).expect(block + set("{a}3", "z"));
      node.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n-TRYAGAIN later\r\n+3\r\n");
      node.expect(PING).send(PONG).expect(block);
      assertNothingElseSentTo(node, "foo", "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+1\r\n+2\r\n");

      node.expect(set("{a}2", "z")).send("+4\r\n");

      client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+1\r\n+2\r\n+3\r\n+4\r\n");
    }

    @Test
    void requestsFollowASingleKeyTransactionAtOnce() {
      String block = call("MULTI") + set("a", "x") + call("INCR a") + call("EXEC");
      Peer client = rig.client();
      client.send(block + get("a"));
      Peer node = rig.accept(1).expect(block + get("a"));

      node.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+1\r\n+2\r\n+3\r\n");

      client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+1\r\n+2\r\n+3\r\n");
    }

    @Test
    void manyMultiKeyRequestsOfASlotWaitForEarlierOnes() {
      var requests = new StringBuilder();
      for (int i = 100; i < 170; i++) {
        requests.append(call("MSET {a}x" + i + " 1 {a}y" + i + " 2"));
      }
      int each = requests.length() / 70;
      Peer client = rig.client();
      client.send(requests.toString());
      Peer node = rig.accept(1).expect(requests.substring(0, 65 * each));
      assertNothingElseSentTo(node, "foo", "+OK\r\n".repeat(65));

      node.expect(requests.substring(65 * each)).send("+OK\r\n".repeat(5));

      client.expect("+OK\r\n".repeat(70));
    }

    /** A master that has become a replica rejects the write and accepts the read. */
    @Test
    void laterRequestsWaitForABroadcastThatWrites() {
      String load = call("FUNCTION LOAD code");
      Peer lower = rig.connected(0);
      Peer upper = rig.accept(1);
      Peer client = rig.client();
      client.send(load + call("DBSIZE"));
      lower.expect(load).send("$1\r\nl\r\n");
      upper.expect(load).send("-READONLY You can't write against a read only replica.\r\n");

      upper.expect(load).send("$1\r\nl\r\n");

      lower.expect(call("DBSIZE")).send(":1\r\n");
      upper.expect(call("DBSIZE")).send(":2\r\n");
      client.expect("$1\r\nl\r\n:3\r\n");
    }

    @Test
    void partsForWholeShardsAreNotRetriedTooEarly() {
      Peer lower = rig.connected(0);
      Peer upper = rig.accept(1);
      Peer client = rig.client();
      client.send(call("DBSIZE") + set("a", "1"));
      lower.expect(call("DBSIZE")).send(":1\r\n");
      upper.expect(call("DBSIZE") + set("a", "1"));

      upper.send("-CLUSTERDOWN no\r\n").expect(PING).send("+OK\r\n" + PONG);

      client.expect("-CLUSTERDOWN no\r\n+OK\r\n");
      assertNothingElseSentTo(upper, "a");
    }
  }

  /** Which of two requests of a client is first when one is sent again. */
  @Nested
  class Order {

    @Test
    void requestsWithoutASharedKeyMayChangeOrder() {
      Peer client = rig.client();
      client.send(set("{a}1", "x") + set("{a}2", "y"));
      Peer node = rig.accept(1).expect(set("{a}1", "x") + set("{a}2", "y"));

      node.send("-TRYAGAIN later\r\n+2\r\n").expect(PING).send(PONG);
      node.expect(set("{a}1", "x")).send("+1\r\n");

      client.expect("+1\r\n+2\r\n");
    }

    @Test
    void aNewRequestWaitsForARetriedOne() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer node = rig.accept(1).expect(set("a", "1")).send("-TRYAGAIN later\r\n");
      node.expect(set("a", "1"));

      client.send(set("a", "2"));
      Peer other = rig.client();
      await().until(() -> firstSessionHolds());
      other.send(get("foo"));
      node.expect(get("foo")).send("+1\r\n$-1\r\n");

      node.expect(set("a", "2")).send("+2\r\n");
      client.expect("+1\r\n+2\r\n");
    }

    /** Whether the oldest client has sent a request that is not handled yet. */
    @Test
    void requestsOfOtherClientsDoNotWait() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer node = rig.accept(1).expect(set("a", "1")).send("-TRYAGAIN later\r\n");
      node.expect(set("a", "1"));

      Peer other = rig.client();
      other.send(set("a", "9"));
      node.expect(set("a", "9")).send("+1\r\n+9\r\n");

      other.expect("+9\r\n");
      client.expect("+1\r\n");
    }

    @Test
    void anOvertakenWriteGetsTheRetryableError() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      Peer node = rig.accept(1).expect(set("a", "1") + set("a", "2"));

      node.send("-TRYAGAIN later\r\n+OK\r\n").expect(PING).send(PONG);

      client.expect("-TRYAGAIN later\r\n+OK\r\n");
      assertNothingElseSentTo(node, "a");
    }

    @Test
    void noRetryBehindALaterUnansweredRequest() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      Peer node = rig.accept(1).expect(set("a", "1") + set("a", "2"));

      node.send("-LOADING still\r\n").expect(PING); // and not SET, however long it takes
      node.send("+OK\r\n" + PONG);

      client.expect("-LOADING still\r\n+OK\r\n");
      assertNothingElseSentTo(node, "a");
    }

    @Test
    void aRequestSentBehindAFenceNeedsAnotherFence() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2") + set("foo", "1"));
      Peer node = rig.accept(1).expect(set("a", "1") + set("a", "2") + set("foo", "1"));
      node.send("-TRYAGAIN a\r\n+OK\r\n").expect(PING);
      client.expect("-TRYAGAIN a\r\n+OK\r\n").send(set("foo", "2"));
      node.expect(set("foo", "2"));

      node.send("-TRYAGAIN foo\r\n" + PONG).expect(PING).send("+OK\r\n" + PONG);

      client.expect("-TRYAGAIN foo\r\n+OK\r\n");
      assertNothingElseSentTo(node, "a");
    }

    @Test
    void anOvertakenReadGetsTheRetryableErrorToo() {
      Peer client = rig.client();
      client.send(get("a") + set("a", "2"));
      Peer node = rig.accept(1).expect(get("a") + set("a", "2"));

      node.send("-LOADING still\r\n+OK\r\n").expect(PING).send(PONG);

      client.expect("-LOADING still\r\n+OK\r\n");
      assertNothingElseSentTo(node, "a");
    }

    @Test
    void readsMayOvertakeReads() {
      Peer client = rig.client();
      client.send(get("a") + get("a"));
      Peer node = rig.accept(1).expect(get("a") + get("a"));

      node.send("-LOADING still\r\n$1\r\n2\r\n").expect(PING).send(PONG);
      node.expect(get("a")).send("$1\r\n1\r\n");

      client.expect("$1\r\n1\r\n$1\r\n2\r\n");
    }

    @Test
    void slotsDoNotWaitForEachOther() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("foo", "2"));
      Peer node = rig.accept(1).expect(set("a", "1") + set("foo", "2"));

      node.send("-TRYAGAIN later\r\n+2\r\n").expect(PING).send(PONG);
      node.expect(set("a", "1")).send("+1\r\n");

      client.expect("+1\r\n+2\r\n");
    }
  }

  /** Requests and replies whose connection was lost. */
  @Nested
  class LostConnections {

    @Test
    void readsAreRetriedAfterAConnectionLoss() {
      Peer client = rig.client();
      client.send(get("a") + get("foo") + get("a"));
      rig.accept(1).expect(get("a") + get("foo") + get("a")).send("$1\r\n1\r\n").close();

      Peer again = rig.accept(1).expect(get("foo") + get("a"));
      again.send("$1\r\n2\r\n$1\r\n3\r\n");

      client.expect("$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n");
    }

    @Test
    void writesAreNeverSentTwice() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      rig.accept(1).expect(set("a", "1")).close();

      client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
      assertNothingElseSentTo(rig.accept(1), "a");
    }

    @Test
    void aReadIsNotRetriedBehindAWriteThatMayHaveRun() {
      Peer client = rig.client();
      client.send(get("a") + set("a", "1") + get("foo"));
      rig.accept(1).expect(get("a") + set("a", "1") + get("foo")).close();

      rig.accept(1).expect(get("foo")).send("$-1\r\n");
      client.expect(
          "-CONNLOST the connection to the node was lost before it answered\r\n"
              + "-CONNLOST the connection to the node was lost; the command may have run\r\n"
              + "$-1\r\n");
    }

    @Test
    void newRequestsDoNotOvertakeTheLastFailedRead() {
      Peer client = rig.client();
      int taken = 8; // the limit of unanswered reads of a new client
      client.send(writesAndReads(1, taken) + writesAndReads(taken + 1, taken + 2));
      rig.accept(1).expect(writesAndReads(1, taken)).close();

      Peer again = rig.accept(1).expect(get("a")).send("$1\r\n8\r\n");
      again.expect(writesAndReads(taken + 1, taken + 2));

      String written =
          "-CONNLOST the connection to the node was lost; the command may have run\r\n";
      String read = "-CONNLOST the connection to the node was lost before it answered\r\n";
      client.expect((written + read).repeat(taken - 1) + written + "$1\r\n8\r\n");
    }

    private static String writesAndReads(int from, int to) {
      var requests = new StringBuilder();
      for (int i = from; i <= to; i++) {
        requests.append(set("a", Integer.toString(i))).append(get("a"));
      }
      return requests.toString();
    }

    @Test
    void unsentRequestsAreSentOnTheNextConnection() {
      rig.server(1).stopListening();
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      await().until(() -> rig.topology().calls().contains("refresh RECONNECT"));

      rig.server(1).listenAgain();

      rig.accept(1).expect(set("a", "1") + set("a", "2")).send("+1\r\n+2\r\n");
      client.expect("+1\r\n+2\r\n");
    }

    @Test
    void aPartlyForwardedReplyCannotBeRetried() {
      Peer client = rig.client();
      client.send(get("a"));
      Peer node = rig.accept(1).expect(get("a")).send(BIG.substring(0, 50_000));
      assertThat(client.read(20_000)).isEqualTo(BIG.substring(0, 20_000));

      node.close();

      assertThat(client.read(100_000)).contains("<");
    }

    /**
     * The part that waited for earlier replies must not stay in front of the reply to the second
     * attempt.
     */
    @Test
    void aReadIsRetriedIfItsPendingReplyIsCutOff() {
      Peer client = rig.client();
      client.send(get("b") + get("a"));
      Peer first = rig.accept(0).expect(get("b"));
      Peer broken = rig.accept(1).expect(get("a")).send(BIG.substring(0, 50_000));
      await().until(() -> rig.bytesReceivedFrom(1) >= 50_000);
      broken.close();

      rig.accept(1).expect(get("a")).send(BIG);
      first.send("$1\r\nb\r\n");

      client.expect("$1\r\nb\r\n" + BIG);
    }

    @Test
    void aPartIsRetriedIfItsReplyIsCutOff() {
      Peer client = rig.client();
      client.send(call("MGET b a"));
      Peer first = rig.accept(0).expect(call("MGET b"));
      Peer broken = rig.accept(1).expect(call("MGET a"));
      broken.send(("*1\r\n" + BIG).substring(0, 50_000));
      await().until(() -> rig.bytesReceivedFrom(1) >= 50_000);
      broken.close();

      rig.accept(1).expect(call("MGET a")).send("*1\r\n" + BIG);
      first.send("*1\r\n$1\r\nb\r\n");

      client.expect("*2\r\n$1\r\nb\r\n" + BIG);
    }
  }

  /** Nodes that are not reachable, reject the handshake, or do not answer in time. */
  @Nested
  class UnavailableNodes {

    @Test
    void atTheDeadlineAnUnreachableNodeIsUnavailable() {
      restart(new RigOptions().commandTimeout(Duration.ofMillis(50)));
      rig.server(1).stopListening();
      Peer client = rig.client();
      client.send(set("a", "1") + get("a"));

      await()
          .until(() -> {
            rig.tick(Duration.ZERO);
            return client.pending() > 0;
          });
      rig.tick(Duration.ZERO);

      String unavailable =
          "-UNAVAILABLE no connection to the node in time; the command did not run\r\n";
      client.expect(unavailable + unavailable);
    }

    @Test
    void aHandshakeErrorIsReportedAtOnce() {
      Peer client = rig.client();
      client.send(set("a", "1") + get("a"));
      await().until(() -> rig.onLoop(() -> rig.sessions().failoverHold().size()) == 2);
      rig.acceptUnanswered(1)
          .expect(NAMING)
          .send("-NOAUTH Authentication required.\r\n")
          .expectClosed();

      String told =
          "-UNAVAILABLE the node "
              + rig.address(1)
              + " does not accept connections from this proxy: NOAUTH Authentication required; the command did not run\r\n";
      client.expect(told + told);
      HeldStats held = rig.onLoop(() -> rig.sessions().failoverHold().stats());
      assertThat(held.count(HeldOutcome.FAILED)).isEqualTo(2);
      client.send(call("MULTI") + set("a", "1") + call("EXEC"));
      client.expect("+OK\r\n+QUEUED\r\n" + told);
    }

    @Test
    void aMaxclientsErrorIsReportedAtTheDeadline() {
      restart(new RigOptions().commandTimeout(Duration.ofMillis(50)));
      Peer client = rig.client();
      client.send(set("a", "1"));
      rig.acceptUnanswered(1)
          .expect(NAMING)
          .send("-ERR max number of clients reached\r\n")
          .expectClosed();

      await()
          .until(() -> {
            rig.tick(Duration.ZERO);
            return client.pending() > 0;
          });

      client.expect(
          "-UNAVAILABLE the node %s does not accept connections from this proxy: ERR max number of clients reached; the command did not run\r\n"
              .formatted(rig.address(1)));
    }

    @Test
    void aFullWaitQueueIsAnOverload() {
      restart(new RigOptions().maxHeld(1));
      rig.server(1).stopListening();
      Peer client = rig.client();
      client.send(set("foo", "1"));
      Peer second = rig.client();
      await().until(() -> rig.topology().calls().contains("refresh RECONNECT"));

      second.send(set("a", "1"));

      second.expect(
          "-OVERLOADED too many commands wait for this node; the command did not run\r\n");
    }

    @Test
    void readsAndWritesHaveDifferentTimeoutErrors() {
      Peer client = rig.client();
      client.send(get("a") + set("a", "1"));
      Peer node = rig.accept(1).expect(get("a") + set("a", "1"));

      rig.tick(FAR);

      client.expect(
          "-TIMEOUT the node did not answer in time\r\n"
              + "-TIMEOUT the node did not answer in time; the command may have run or may still"
              + " run\r\n");
      client.send(get("a"));
      node.expect(get("a")).send("+late\r\n+late\r\n$1\r\nv\r\n");
      client.expect("$1\r\nv\r\n");
    }
  }

  /** Slots whose owner is unknown or changes, and other changes of the route. */
  @Nested
  class NewRoutes {

    @Test
    void requestsWaitForTheOwnerOfASlot() {
      SlotMap whole = rig.topology().current();
      rig.publish(SlotMap.EMPTY);
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      await().until(() -> rig.topology().calls().contains("refresh UNCOVERED_SLOT"));

      rig.publish(whole);

      Peer node = rig.accept(1).expect(set("a", "1")).send("+1\r\n");
      node.expect(set("a", "2")).send("+2\r\n");
      client.expect("+1\r\n+2\r\n");
    }

    @Test
    void aSlotWithoutOwnerUntilTheDeadlineIsAnError() {
      restart(new RigOptions().commandTimeout(Duration.ofMillis(50)));
      rig.publish(SlotMap.EMPTY);
      Peer client = rig.client();

      client.send(set("a", "1") + set("a", "2") + get("b"));

      String notServed = "-CLUSTERDOWN Hash slot not served\r\n";
      client.expect(notServed + notServed + notServed);
    }

    @Test
    void waitingRequestsFollowTheirSlotToANewNode() {
      rig.server(1).stopListening();
      Peer client = rig.client();
      client.send(set("a", "1"));
      await().until(() -> rig.topology().calls().contains("refresh RECONNECT"));

      rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));

      rig.accept(0).expect(set("a", "1")).send("+1\r\n");
      client.expect("+1\r\n");
    }

    @Test
    void noRequestOvertakesOnANewRoute() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer old = rig.accept(1).expect(set("a", "1"));
      Peer owner = rig.accept(0);
      rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));

      client.send(set("a", "2"));
      await().until(() -> firstSessionHolds());
      assertNothingElseSentTo(owner, "b");
      old.send("+1\r\n");

      owner.expect(set("a", "2")).send("+2\r\n");
      client.expect("+1\r\n+2\r\n");
    }

    @Test
    void aRequestForAnotherSlotDoesNotWaitForTheNewRoute() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer old = rig.accept(1).expect(set("a", "1"));
      Peer owner = rig.accept(0);
      rig.publish(rig.topology().current().withSlotOn(Rig.SLOT_A, rig.address(0)));

      client.send(set("foo", "2"));
      old.expect(set("foo", "2")).send("+1\r\n+2\r\n");

      client.expect("+1\r\n+2\r\n");
      assertNothingElseSentTo(owner, "b");
    }

    @Test
    void aNewProtocolVersionIsANewRoute() {
      Peer client = rig.client();
      client.send(set("a", "1") + call("HELLO 3") + set("a", "2"));
      Peer resp2 = rig.accept(1).expect(set("a", "1"));
      await().until(() -> firstSessionHolds());
      Peer other = rig.client();
      other.send(get("foo"));
      resp2.expect(get("foo")).send("+1\r\n$-1\r\n");

      Peer resp3 = rig.acceptUnanswered(1);
      resp3.expect(call("HELLO 3") + NAMING).send("%0\r\n+OK\r\n");
      resp3.expect(set("a", "2")).send("+2\r\n");
      client.expect("+1\r\n%7\r\n");
    }
  }

  /** Clients that disconnect while their requests are sent again. */
  @Nested
  class LeavingClients {

    @Test
    void requestsOfADisconnectedClientAreNotRetried() {
      Peer client = rig.client();
      client.send(set("a", "1"));
      Peer node = rig.accept(1).expect(set("a", "1"));
      client.reset();
      await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));

      node.send("-TRYAGAIN later\r\n");

      assertNothingElseSentTo(node, "a");
    }

    @Test
    void aDisconnectedClientLeavesNothingBehind() {
      Peer client = rig.client();
      client.send(set("a", "1") + set("a", "2"));
      Peer node = rig.accept(1).expect(set("a", "1") + set("a", "2"));
      node.send("-TRYAGAIN later\r\n-TRYAGAIN later\r\n").expect(PING).send(PONG);
      node.expect(set("a", "1"));
      client.reset();
      await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));

      node.send("+OK\r\n");

      assertNothingElseSentTo(node, "a");
    }
  }
}
