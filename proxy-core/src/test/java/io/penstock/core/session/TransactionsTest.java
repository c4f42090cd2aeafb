package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MULTI, EXEC and DISCARD between a client and nodes whose every byte the test sends itself. */
class TransactionsTest {

  private static final Duration FAR = Duration.ofSeconds(200);
  private static final String MULTI = call("MULTI");
  private static final String EXEC = call("EXEC");
  private static final String OK = "+OK\r\n";
  private static final String QUEUED = "+QUEUED\r\n";
  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors.\r\n";

  private Rig rig = Rig.cluster();

  @AfterEach
  public void close() {
    rig.close();
  }

  private void restart(RigOptions options) {
    rig.close();
    rig = options.start();
  }

  private static String block(String... commands) {
    return MULTI + String.join("", commands) + EXEC;
  }

  private String moved(int node) {
    return "-MOVED " + Rig.SLOT_A + " 127.0.0.1:" + rig.address(node).port() + "\r\n";
  }

  /** From MULTI to the reply to EXEC. */
  @Nested
  class Queueing {

    @Test
    void aTransactionIsQueuedAndSentAsOne() {
      Peer client = rig.client();
      client
          .send(MULTI)
          .expect(OK)
          .send(set("a", "1"))
          .expect(QUEUED)
          .send(get("a"))
          .expect(QUEUED);
      Peer node = rig.connected(1);
      assertThat(node.pending()).isZero();

      client.send(EXEC);

      node.expect(block(set("a", "1"), get("a")));
      node.send(OK + QUEUED + QUEUED + "*2\r\n+OK\r\n$1\r\n1\r\n");
      client.expect("*2\r\n+OK\r\n$1\r\n1\r\n").send(EXEC).expect("-ERR EXEC without MULTI\r\n");
    }

    @Test
    void aTransactionMayArriveInPieces() {
      Peer node = rig.connected(1);
      byte[] requests = Wire.bytes(MULTI + set("a", "1") + call("PING") + get("a") + EXEC + PING);
      byte[] replies = Wire.bytes(OK + QUEUED + QUEUED + "*2\r\n+OK\r\n*1\r\n$1\r\n1\r\n");
      Splits.forEach(
          requests,
          pieces -> {
            try (Peer client = rig.client()) {
              pieces.forEach(client::send);
              node.expect(block(set("a", "1"), get("a"))).send(replies);
              client.expect(OK + QUEUED + QUEUED + QUEUED);
              client.expect("*3\r\n+OK\r\n+PONG\r\n*1\r\n$1\r\n1\r\n+PONG\r\n");
            }
          });
      Splits.forEach(
          replies,
          pieces -> {
            try (Peer client = rig.client()) {
              client.send(requests);
              node.expect(block(set("a", "1"), get("a")));
              pieces.forEach(node::send);
              client.expect(OK + QUEUED + QUEUED + QUEUED);
              client.expect("*3\r\n+OK\r\n+PONG\r\n*1\r\n$1\r\n1\r\n+PONG\r\n");
            }
          });
    }

    @Test
    void repliesOfOtherClientsAreNotMixedIn() {
      Peer node = rig.connected(1);
      Peer client = rig.client();
      Peer other = rig.client();
      other.send(get("a"));
      node.expect(get("a"));
      client.send(block(get("a")));
      node.expect(block(get("a")));
      other.send(get("foo"));
      node.expect(get("foo"));

      node.send("+1\r\n" + OK + QUEUED + "*1\r\n+2\r\n" + "+3\r\n");

      other.expect("+1\r\n+3\r\n");
      client.expect(OK + QUEUED + "*1\r\n+2\r\n");
    }

    @Test
    void emptyTransactionsNeedNoNode() {
      Peer client = rig.client();
      client.send(MULTI + EXEC).expect(OK + "*0\r\n");
      client.send(MULTI + call("DISCARD")).expect(OK + OK);
      client.send(call("DISCARD")).expect("-ERR DISCARD without MULTI\r\n");
    }

    @Test
    void aLargeReplyIsForwardedWhileItArrives() {
      Peer client = rig.client();
      client.send(block(get("a"), get("a")));
      Peer node = rig.accept(1).expect(block(get("a"), get("a")));
      String big = Wire.bulk("x".repeat(200_000));

      node.send(OK + QUEUED + QUEUED + "*2\r\n" + big);

      client.expect(OK + QUEUED + QUEUED + "*2\r\n" + big.substring(0, 100_000));
      node.send("$-1\r\n");
      client.expect(big.substring(100_000) + "$-1\r\n");
    }

    @Test
    void resetAndQuitEndItAtOnce() {
      Peer client = rig.client();
      client.send(MULTI + get("a") + call("RESET") + EXEC);
      client.expect(OK + QUEUED + "+RESET\r\n-ERR EXEC without MULTI\r\n");
      client.send(MULTI + get("a") + call("QUIT"));
      client.expect(OK + QUEUED + OK).expectClosed();
      assertThat(rig.connected(1).pending()).isZero();
    }

    @Test
    void aTransactionRunsWhileRepliesAreOff() {
      Peer client = rig.client();
      client.send(call("CLIENT REPLY SKIP") + MULTI + get("a") + call("CLIENT REPLY OFF"));
      client.expect(QUEUED);
      client.expect("-ERR CLIENT REPLY inside MULTI is not supported: EXEC would lack replies\r\n");
      client.send(EXEC + call("CLIENT REPLY OFF") + block(get("a")) + call("CLIENT REPLY ON"));
      rig.accept(1).expect(block(get("a"))).send(OK + QUEUED + "*1\r\n+v\r\n");
      client.expect(ABORTED + OK);
    }

    @Test
    void clientListShowsOpenTransactions() {
      Peer client = rig.client();
      client.send(MULTI + get("a") + get("a")).expect(OK + QUEUED + QUEUED);
      Peer other = rig.client();

      other.send(call("CLIENT LIST ID 1"));

      assertThat(other.read(150)).contains(" flags=x ").contains(" multi=2 ");
    }

    @Test
    void queuedCommandsAreReleasedOnClose() {
      Peer client = rig.client();
      client.send(MULTI + set("a", "x".repeat(100_000))).expect(OK + QUEUED).close();
      assertThat(rig.connected(1).pending()).isZero();
    }
  }

  /** What a node that runs a script does to a transaction. */
  @Nested
  class BusyNodes {

    private static final String BUSY = "-BUSY Redis is busy running a script.\r\n";

    private Peer client;
    private Peer node;

    @BeforeEach
    void connect() {
      restart(new RigOptions().askAfter(Duration.ofSeconds(50)));
      node = rig.connected(1);
      client = rig.client();
      answer(client, "$-1\r\n");
    }

    private void answer(Peer to, String reply) {
      to.send(get("a"));
      node.expect(get("a")).send(reply);
      to.expect(reply);
    }

    private void silence() {
      rig.advance(Duration.ofSeconds(60));
    }

    @Test
    void aCommandQueuedMeanwhileIsRejectedAndAborts() {
      silence();
      client.send(MULTI).expect(OK).send(set("a", "1"));
      node.expect(PING).send(BUSY);
      client.expect(BUSY).send(get("a"));
      node.expect(PING).send("+PONG\r\n");
      client.expect(QUEUED).send(EXEC).expect(ABORTED);
      assertThat(node.pending()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"+PONG\r\n", "-NOPERM no\r\n", "-BUSYGROUP no\r\n"})
    void anyOtherAnswerIsForTheNextCommandsAsWell(String reply) {
      silence();
      client.send(MULTI).expect(OK).send(set("a", "1"));
      node.expect(PING).send(reply);
      client.expect(QUEUED).send(get("a")).expect(QUEUED).send(EXEC);
      node.expect(block(set("a", "1"), get("a"))).send(OK + QUEUED + QUEUED + "*0\r\n");
      client.expect("*0\r\n");
    }

    @Test
    void aNodeThatHasAnsweredLatelyIsNotAsked() {
      client.send(MULTI).expect(OK).send(get("a")).expect(QUEUED).send(EXEC);
      node.expect(block(get("a")));
    }

    @Test
    void aNodeIsNotAskedForWhatIsSentAtOnce() {
      silence();
      client.send(block(get("a")));
      node.expect(block(get("a")));
      client.expect(OK + QUEUED);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "-BUSY Redis is busy running a script.\r\n",
          "-EXECABORT Transaction discarded because of: BUSY Redis is busy.\r\n"
        })
    void aNodeThatIsKnownToBeBusyIsAsked(String error) {
      answer(rig.client(), error);
      client.send(MULTI).expect(OK).send(get("a"));
      node.expect(PING).send(BUSY);
      client.expect(BUSY);
    }

    @Test
    void aScriptOnTheSharedConnectionDoesNotDelayTheAnswer() {
      rig.client().send(call("EVAL loop 1 a"));
      node.expect(call("EVAL loop 1 a"));
      silence();
      client.send(MULTI).expect(OK).send(get("a"));
      rig.accept(1).expect(PING).send(BUSY);
      client
          .expect(BUSY)
          .send(call("SCRIPT KILL"))
          .expect("-ERR a command that concerns every node cannot be part of a transaction\r\n");
    }

    @Test
    void aNodeThatDoesNotAnswerIsAskedOnce() {
      silence();
      client.send(MULTI).expect(OK).send(get("a"));
      node.expect(PING);
      rig.tick(FAR);
      client.expect(QUEUED).send(get("a")).expect(QUEUED);
    }

    @Test
    void aClientMayDisconnectMeanwhile() {
      silence();
      client.send(MULTI).expect(OK).send(get("a"));
      node.expect(PING);
      client.reset();
      Peer other = rig.client().send(get("a"));
      node.expect(get("a")).send(BUSY + "$-1\r\n");
      other.expect("$-1\r\n");
    }
  }

  /** Transactions that do not run. */
  @Nested
  class Aborted {

    @Test
    void anErrorWhileQueueingAbortsTheTransaction() {
      Peer client = rig.client();
      client.send(MULTI + get("a") + call("GET") + get("a") + EXEC);
      client.expect(
          OK + QUEUED + "-ERR wrong number of arguments for 'get' command\r\n" + QUEUED + ABORTED);
      client.send(MULTI + call("BOGUS") + EXEC);
      client.expect(OK + "-ERR unknown command 'BOGUS', with args beginning with: \r\n" + ABORTED);
      client.send(MULTI + call("SAVE") + EXEC);
      client.expect(OK + "-ERR Command not allowed inside a transaction\r\n" + ABORTED);
      client.send(MULTI + call("HELLO 3") + get("a") + EXEC);
      client.expect(
          OK
              + QUEUED
              + "-ERR only connection commands may follow HELLO in a transaction\r\n"
              + ABORTED);
      assertThat(rig.connected(1).pending()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
      "HELLO 3, true",
      "HELLO 3 AUTH default wrong, true",
      "HELLO 3 + HELLO 2 AUTH default wrong, true",
      "HELLO 3 + HELLO 2, false",
      "HELLO, false",
      "HELLO 2, false",
      "HELLO 4, false",
      "HELLO x, false",
      "HELLO 3 AUTH a, false",
      "HELLO 3 BOGUS, false",
      "HELLO 2 AUTH default wrong, false"
    })
    void onlyAHelloThatMayChangeTheProtocolEndsTheBlock(String hellos, boolean ends) {
      Peer client = rig.client();
      client.send(MULTI).expect(OK);
      for (String hello : hellos.split(" \\+ ", -1)) {
        client.send(call(hello)).expect(QUEUED);
      }
      client
          .send(get("a"))
          .expect(
              ends
                  ? "-ERR only connection commands may follow HELLO in a transaction\r\n"
                  : QUEUED);
    }

    @Test
    void errorsOfMultiAndExec() {
      Peer client = rig.client();
      String arity = "wrong number of arguments for 'exec' command\r\n";
      client.send(MULTI + MULTI + EXEC);
      client.expect(OK + "-ERR MULTI calls can not be nested\r\n*0\r\n");
      client.send(MULTI + call("EXEC x") + EXEC);
      client.expect(OK + "-EXECABORT Transaction discarded because of: " + arity);
      client.expect("-ERR EXEC without MULTI\r\n");
      client.send(call("EXEC x"));
      client.expect("-EXECABORT Transaction discarded because of: " + arity);
      client.send(MULTI + call("DISCARD x") + EXEC);
      client.expect(OK + "-ERR wrong number of arguments for 'discard' command\r\n" + ABORTED);
    }

    @Test
    void execWithoutAuthenticationHasTheErrorOfRedis() {
      restart(new RigOptions().password("pw"));
      Peer client = rig.client();
      client.send(EXEC);
      client.expect(
          "-EXECABORT Transaction discarded because of: NOAUTH Authentication required.\r\n");
      client.send(MULTI).expect("-NOAUTH Authentication required.\r\n");
    }

    @Test
    void keysOfDifferentSlotsAbortTheTransaction() {
      Peer client = rig.client();
      client.send(MULTI + call("MGET a b") + EXEC);
      client.expect(OK + "-CROSSSLOT Keys in request don't hash to the same slot\r\n" + ABORTED);
      client.send(MULTI + get("a") + get("b") + EXEC);
      client.expect(
          OK
              + QUEUED
              + "-CROSSSLOT Keys of a transaction don't hash to the same slot\r\n"
              + ABORTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DBSIZE", "FLUSHALL", "KEYS *", "SCRIPT LOAD x", "SCAN 0", "RANDOMKEY"})
    void commandsForEveryNodeAbortTheTransaction(String command) {
      Peer client = rig.client();
      client.send(MULTI + get("a") + call(command) + EXEC).expect(OK + QUEUED);
      client.expect("-ERR a command that concerns every node cannot be part of a transaction\r\n");
      client.expect(ABORTED);
      assertThat(rig.connected(1).pending()).isZero();
    }

    @Test
    void theReasonOfAnAbortIsForwarded() {
      Peer client = rig.client();
      client.send(block(get("a"), get("a")));
      Peer node = rig.accept(1).expect(block(get("a"), get("a")));
      node.send(OK + "-NOPERM this user has no permissions\r\n-OOM more\r\n" + ABORTED);

      client.expect(OK + QUEUED + QUEUED);
      client.expect(ABORTED.replace("\r\n", " NOPERM this user has no permissions\r\n"));
    }

    @Test
    void exceedingTheRequestLimitAbortsTheTransaction() {
      restart(new RigOptions().limits(new RespLimits(512 * 1024 * 1024, 1_000, 65_536, 1_000)));
      String half = set("a", "x".repeat(600));

      rig.client()
          .send(MULTI + half + half + EXEC)
          .expect(OK + QUEUED)
          .expect("-OVERLOADED the transaction is longer than a request may be; none of it ran\r\n")
          .expect("-EXECABORT Transaction discarded because of previous errors.\r\n");
    }
  }

  /** The node that a transaction goes to. */
  @Nested
  class Destination {

    @Test
    void commandsWithoutKeysRunWhereTheKeysAre() {
      Peer client = rig.client();
      String script = call("EVAL return 0");
      client.send(block(call("TIME"), script, get("a"), call("MGET a a")));
      rig.accept(1).expect(block(call("TIME"), script, get("a"), call("MGET a a")));
      client.send(block(call("TIME")));
      rig.accept(0).expect(block(call("TIME")));
    }

    @Test
    void aSingleServerHasNoSlots() {
      restart(new RigOptions().single());
      Peer client = rig.client();
      client.send(block(get("a"), get("b"), call("MGET a b c")));
      rig.accept(0).expect(block(get("a"), get("b"), call("MGET a b c")));
    }

    @Test
    void aSingleServerGetsEveryCommandOfATransaction() {
      restart(new RigOptions().single());
      Peer client = rig.client();
      String[] calls = {call("FUNCTION STATS"), call("SCRIPT KILL"), call("PUBSUB NUMSUB b")};

      client.send(block(calls));

      rig.accept(0).expect(block(calls));
    }
  }

  /** Commands in a transaction that Penstock answers itself. */
  @Nested
  class OwnCommands {

    @Test
    void localCommandsRunAfterTheOthers() {
      Peer client = rig.client();
      client.send(block(call("CLIENT GETNAME"), get("a"), call("CLIENT SETNAME n")));
      Peer node = rig.accept(1).expect(block(get("a")));
      client.expect(OK + QUEUED + QUEUED + QUEUED).send(call("CLIENT GETNAME"));

      node.send(OK + QUEUED + "*1\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n");

      client.expect("*3\r\n$-1\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n+OK\r\n");
      client.expect("$1\r\nn\r\n");
    }

    @Test
    void anEarlierTransactionDoesNotResumeTheClient() {
      Peer client = rig.client();
      client.send(block(get("a")) + block(get("a"), call("CLIENT SETNAME n")));
      client.send(call("CLIENT GETNAME"));
      Peer node = rig.accept(1).expect(block(get("a")) + block(get("a")));

      node.send(OK + QUEUED + "*1\r\n+1\r\n");
      client.expect(OK + QUEUED + "*1\r\n+1\r\n");
      node.send(OK + QUEUED + "*1\r\n+2\r\n");

      client.expect(OK + QUEUED + QUEUED + "*2\r\n+2\r\n+OK\r\n$1\r\nn\r\n");
    }

    @Test
    void localCommandsAloneNeedNoNode() {
      Peer client = rig.client();
      client.send(block(PING, call("ECHO x"), call("SELECT 1"), call("CLIENT LIST")));
      client.expect(OK + QUEUED.repeat(4) + "*4\r\n+PONG\r\n$1\r\nx\r\n");
      client.expect("-ERR SELECT is not allowed in cluster mode\r\n$");
    }

    @Test
    void harmlessLocalCommandsAreQueued() {
      Peer client = rig.client();
      client.send(block(call("CLIENT REPLY ON"), call("CLIENT REPLY x"), call("SSUBSCRIBE a")));
      client.expect(OK + QUEUED.repeat(3) + "*3\r\n" + OK + "-ERR syntax error\r\n");
      client.expect("-ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client\r\n");
    }

    @Test
    void localCommandsDoNotRunIfTheOthersDidNot() {
      Peer client = rig.client();
      client.send(block(call("CLIENT SETNAME n"), get("a")) + call("CLIENT GETNAME"));
      Peer node = rig.accept(1).expect(block(get("a")));
      node.send(OK + "-OOM no\r\n" + ABORTED);

      client.expect(OK + QUEUED + QUEUED + ABORTED.replace("\r\n", " OOM no\r\n") + "$-1\r\n");
    }

    private static final String RAN_BUT_TOO_LARGE =
        "-ERR the transaction ran, but the replies are too large to be merged\r\n";

    @Test
    void manyLargeLocalRepliesAreMadeInSeveralTurns() {
      Peer client = rig.client();
      client.send(call("COMMAND INFO get")).expect("*1\r\n*10\r\n$3\r\nget\r\n");
      String rest = client.read(client.pending());
      int count = 1_000;
      String many = call("COMMAND INFO" + " get".repeat(count));
      String reply = "*" + count + "\r\n" + ("*10\r\n$3\r\nget\r\n" + rest).repeat(count);

      client.send(block(many, many, many, many, many));

      client.expect(OK + QUEUED.repeat(5) + "*5\r\n" + reply.repeat(5));
    }

    @Test
    void repliesTooLargeToMergeAreAnError() {
      restart(new RigOptions().limits(new RespLimits(512 * 1024 * 1024, 1_000, 65_536, 400_000)));
      Peer client = rig.client();
      Peer node = rig.connected(1);
      client.send(block(get("a"), call("COMMAND").repeat(10), call("CLIENT SETNAME x")));
      node.expect(block(get("a"))).send(OK + QUEUED + "*1\r\n$1\r\nv\r\n");
      client.expect(OK + QUEUED.repeat(12) + RAN_BUT_TOO_LARGE);

      client.send(block(call("PING"), get("a"), call("CLIENT SETNAME y")));
      node.expect(block(get("a"))).send(OK + QUEUED + "*1\r\n");
      node.send(Wire.bulk("v".repeat(500_000)));
      client.expect(OK + QUEUED.repeat(3) + RAN_BUT_TOO_LARGE);

      client.send(call("CLIENT GETNAME") + block(call("PING"), get("a")));
      client.expect("$1\r\ny\r\n");
      node.expect(block(get("a"))).send(OK + QUEUED + "*1\r\n$1\r\nv\r\n");
      client.expect(OK + QUEUED + QUEUED + "*2\r\n+PONG\r\n$1\r\nv\r\n");
    }

    @Test
    void aFailureOfALocalReplyClosesOnlyThatClient() {
      restart(
          new RigOptions()
              .config(() -> {
                throw new OutOfMemoryError("thrown by a test");
              }));
      Peer client = rig.client();
      Peer other = rig.client();
      client.send(block(get("a"), call("COMMAND"), call("CONFIG GET save"), call("PING")));
      Peer node = rig.accept(1).expect(block(get("a")));
      other.send(get("a"));
      node.expect(get("a"));

      node.send(OK + QUEUED + "*1\r\n$1\r\nv\r\n" + "$1\r\nw\r\n");

      client.expect(OK + QUEUED.repeat(4)).expectClosed();
      other.expect("$1\r\nw\r\n").send(get("a"));
      node.expect(get("a")).send("$1\r\nx\r\n");
      other.expect("$1\r\nx\r\n");
    }
  }

  /** Transactions that a node rejected, and what must not overtake them. */
  @Nested
  class Retries {

    @Test
    void aRedirectWhileQueueingIsFollowed() {
      Peer client = rig.client();
      client.send(block(set("a", "1"), get("a")));
      Peer old = rig.accept(1).expect(block(set("a", "1"), get("a")));
      old.send(OK + moved(0) + moved(0) + ABORTED);

      Peer owner = rig.accept(0).expect(block(set("a", "1"), get("a")));
      owner.send(OK + QUEUED + QUEUED + "*2\r\n+OK\r\n+1\r\n");

      client.expect(OK + QUEUED + QUEUED + "*2\r\n+OK\r\n+1\r\n");
      assertThat(rig.topology().calls()).containsExactly("moved 15495 to " + rig.address(0).port());
    }

    @Test
    void askingPrecedesTheWholeTransaction() {
      Peer client = rig.client();
      client.send(block(get("a")));
      Peer migrating = rig.accept(1).expect(block(get("a")));
      migrating.send(OK + moved(0).replace("MOVED", "ASK") + ABORTED);

      Peer importing = rig.accept(0).expect(call("ASKING") + block(get("a")));
      importing.send(OK + OK + QUEUED + "*1\r\n+v\r\n");

      client.expect(OK + QUEUED + "*1\r\n+v\r\n");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
          "-CLUSTERDOWN The cluster is down\r\n",
          "-LOADING Redis is loading the dataset in memory\r\n"
        })
    void transactionsWithRetryableErrorsAreRetried(String refusal) {
      Peer client = rig.client();
      client.send(block(get("a"), get("a")));
      Peer node = rig.accept(1);
      node.expect(block(get("a"), get("a"))).send(OK + QUEUED + refusal + ABORTED);
      node.expect(block(get("a"), get("a"))).send(OK + QUEUED + QUEUED + refusal); // at EXEC
      node.expect(block(get("a"), get("a"))).send(OK + QUEUED + QUEUED + "*2\r\n+1\r\n+2\r\n");

      client.expect(OK + QUEUED + QUEUED + "*2\r\n+1\r\n+2\r\n");
    }

    @Test
    void anErrorOfMultiIsNotHidden() {
      Peer client = rig.client();
      client.send(block(get("a")));
      Peer node = rig.accept(1).expect(block(get("a")));
      node.send("-NOPERM no multi\r\n+v\r\n-ERR EXEC without MULTI\r\n");

      client.expect(OK + QUEUED);
      client.expect(
          "-ERR The node refused MULTI, so the commands ran one by one: NOPERM no multi\r\n");
    }

    @Test
    void blockingCallsHaveAShortTimeoutInATransaction() {
      Peer client = rig.client();
      client.send(
          block(call("BLPOP a 0"), call("XREAD BLOCK 0 STREAMS a 0"), call("WAIT 1 0"))
              + block(call("BLPOP a x"), call("XREAD STREAMS a 0")));
      rig.accept(1)
          .expect(
              block(call("BLPOP a 0.001"), call("XREAD BLOCK 1 STREAMS a 0"), call("WAIT 1 1"))
                  + block(call("BLPOP a x"), call("XREAD STREAMS a 0")));
    }

    @Test
    void laterCommandsDoNotOvertakeARetriedTransaction() {
      Peer client = rig.client();
      client.send(set("a", "0") + block(set("a", "1")) + get("a") + MULTI + set("a", "2"));
      Peer old = rig.accept(1).expect(set("a", "0") + block(set("a", "1")) + get("a"));
      client.send(EXEC);
      old.expect(block(set("a", "2")));
      old.send(OK + OK + moved(0) + ABORTED + moved(0) + OK + moved(0) + ABORTED);

      Peer owner = rig.accept(0).expect(block(set("a", "1")));
      owner.send(OK + QUEUED + "*1\r\n+OK\r\n").expect(get("a")).send("$1\r\n1\r\n");
      owner.expect(block(set("a", "2"))).send(OK + QUEUED + "*1\r\n+OK\r\n");

      client.expect(OK + OK + QUEUED + "*1\r\n+OK\r\n$1\r\n1\r\n" + OK + QUEUED + "*1\r\n+OK\r\n");
    }

    @Test
    void aTransactionDoesNotOvertakeEarlierRequests() {
      Peer client = rig.client();
      client.send(set("a", "0"));
      Peer old = rig.accept(1).expect(set("a", "0"));
      SlotMap map = rig.topology().current();
      rig.publish(map.withSlotOn(Rig.SLOT_A, rig.address(0)));
      Peer owner = rig.accept(0);
      client.send(block(set("a", "1"))).expect("");
      assertThat(owner.pending()).isZero();

      old.send(OK);

      owner.expect(block(set("a", "1"))).send(OK + QUEUED + "*1\r\n+OK\r\n");
      client.expect(OK + OK + QUEUED + "*1\r\n+OK\r\n");
    }
  }

  /** Errors, lost connections and late replies. */
  @Nested
  class Failures {

    @Test
    void errorsOfElementsAreForwarded() {
      Peer client = rig.client();
      client.send(block(get("a")));
      Peer node = rig.accept(1).expect(block(get("a")));
      node.send(OK + QUEUED + "*1\r\n" + moved(0));

      client.expect(OK + QUEUED + "*1\r\n" + moved(0));
    }

    @Test
    void aLostConnectionLeavesTheOutcomeUnknown() {
      Peer client = rig.client();
      client.send(block(get("a")));
      rig.accept(1).expect(block(get("a"))).send(OK + QUEUED).close();

      client.expect(OK + QUEUED);
      client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
      assertThat(rig.accept(1).pending()).isZero();
    }

    @Test
    void aLateReplyIsDropped() {
      Peer client = rig.client();
      client.send(block(call("CLIENT SETNAME x"), get("a")));
      Peer node = rig.accept(1).expect(block(get("a")));
      client.expect(OK + QUEUED + QUEUED);
      rig.tick(FAR);
      client.expect(
          "-TIMEOUT the node did not answer in time; the command may have run or may still run\r\n");

      client.send(get("a") + call("CLIENT GETNAME"));
      node.expect(get("a")).send(OK + QUEUED + "*1\r\n+late\r\n+v\r\n");

      client.expect("+v\r\n$-1\r\n");
    }

    @Test
    void failedRequestsDoNotCountAsUnanswered() {
      restart(
          new RigOptions()
              .clientLimits(Limits.inFlight(100, 2))
              .config(() -> {
                throw new OutOfMemoryError("thrown by a test");
              }));
      for (int i = 0; i < 3; i++) {
        rig.client().send(call("CONFIG GET save")).expectClosed();
        Peer other = rig.client().send(call("MULTI") + call("CONFIG GET save"));
        other.expect(OK + QUEUED).send(call("EXEC")).expectClosed();
      }
      Peer client = rig.client();
      client.send(get("a"));

      rig.accept(1).expect(get("a")).send("$1\r\nv\r\n");
      client.expect("$1\r\nv\r\n");
    }

    @Test
    void aFailureBehindAReplyDoesNotAffectOthers() {
      restart(
          new RigOptions()
              .config(() -> {
                throw new OutOfMemoryError("thrown by a test");
              }));
      Peer client = rig.client();
      Peer other = rig.client();
      client.send(block(get("a"), call("PING")) + call("CONFIG GET save") + PING);
      Peer node = rig.accept(1).expect(block(get("a")));
      other.send(get("a"));
      node.expect(get("a"));

      node.send(OK + QUEUED + "*1\r\n$1\r\nv\r\n" + "$1\r\nw\r\n");

      client.expect(OK + QUEUED.repeat(2)).expectClosed();
      other.expect("$1\r\nw\r\n");
    }
  }
}
