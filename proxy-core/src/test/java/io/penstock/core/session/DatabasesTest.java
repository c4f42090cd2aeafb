package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SELECT, between clients and a single server whose every byte the test sends itself. */
class DatabasesTest {

  private static final String OK = "+OK\r\n";
  private static final String QUEUED = "+QUEUED\r\n";
  private static final String OUT_OF_RANGE = "-ERR DB index is out of range\r\n";
  private static final String SELECT_3 = call("SELECT 3");
  private static final String MULTI = call("MULTI");
  private static final String EXEC = call("EXEC");

  private Rig rig = new RigOptions().single().start();

  @SuppressWarnings("NullAway.Init")
  private Peer plain; // the connection to database 0

  @BeforeEach
  void connect() {
    plain = rig.connected(0);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Has the client select a database that the node must be asked for. */
  private Peer select(Peer client, int number) {
    client.send(call("SELECT " + number));
    Peer asked = rig.acceptUnanswered(0).expect(NAMING).send(OK);
    asked.expect(call("SELECT " + number)).send(OK);
    client.expect(OK);
    return asked;
  }

  private Peer acceptOn(int database) {
    return rig.acceptUnanswered(0).expect(NAMING + call("SELECT " + database)).send(OK + OK);
  }

  @Test
  void aDatabaseHasItsOwnConnectionForAllClients() {
    Peer client = rig.client();
    select(client, 3);
    client.send(get("a"));
    Peer third = acceptOn(3).expect(get("a")).send("$-1\r\n");
    client.expect("$-1\r\n");

    Peer other = rig.client().send(SELECT_3 + get("b")).expect(OK);
    third.expect(get("b")).send("$1\r\nb\r\n");
    other.expect("$1\r\nb\r\n");

    client.send(call("SELECT 0") + get("c")).expect(OK);
    plain.expect(get("c"));
  }

  @Test
  void aDatabaseThatTheNodeRejectsIsNotSelected() {
    Peer client = rig.client().send(call("SELECT 99") + get("a"));
    Peer asked = rig.acceptUnanswered(0).expect(NAMING).send(OK);

    asked.expect(call("SELECT 99")).send(OUT_OF_RANGE);

    client.expect(OUT_OF_RANGE);
    plain.expect(get("a"));
  }

  @Test
  void aNumberThatNoServerHasIsOutOfRange() {
    rig.client()
        .send(call("SELECT 2147483647") + call("SELECT 1073741823"))
        .expect(OUT_OF_RANGE + OUT_OF_RANGE);
  }

  @Test
  void theNodeIsAskedAgainAfterALostConnection() {
    Peer client = rig.client().send(SELECT_3 + get("a"));
    rig.acceptUnanswered(0).expect(NAMING).send(OK).expect(SELECT_3).close();

    rig.acceptUnanswered(0).expect(NAMING).send(OK).expect(SELECT_3).send(OK);

    client.expect(OK);
    acceptOn(3).expect(get("a"));
  }

  @Test
  void theNodeIsAskedOverAConnectionThatNothingElseUses() {
    Peer client = rig.client();
    Peer asked = select(client, 3);
    client.send(call("SELECT 0") + call("SELECT 4")).expect(OK);

    asked.expect(call("SELECT 4")).send(OK);

    client.expect(OK);
  }

  @Test
  void requestsWaitForEarlierOnesInAnotherDatabase() {
    Peer client = rig.client();
    select(client, 3);
    client.send(call("MOVE a 0"));
    Peer third = acceptOn(3).expect(call("MOVE a 0"));
    client.send(call("SELECT 0") + get("a") + get("b"));

    assertThat(plain.pending()).isZero();
    third.send(":1\r\n");

    client.expect(":1\r\n" + OK);
    plain.expect(get("a") + get("b"));
  }

  @Test
  void commandsForAllKeysWaitForAnotherDatabase() {
    Peer client = rig.client();
    select(client, 3);
    client.send(call("SWAPDB 0 3"));
    Peer third = acceptOn(3).expect(call("SWAPDB 0 3"));
    client.send(call("SELECT 0") + call("DBSIZE"));
    third.send(OK);

    client.expect(OK + OK);
    plain.expect(call("DBSIZE"));
  }

  @Test
  void resetReturnsToTheOwnDatabase() {
    Peer client = rig.client();
    select(client, 3);

    client.send(call("RESET") + get("a")).expect("+RESET\r\n");

    plain.expect(get("a"));
  }

  @Test
  void clientInfoShowsTheDatabase() {
    Peer client = rig.client();
    select(client, 3);

    assertThat(client.send(call("CLIENT INFO")).readBulk()).contains(" db=3 ");
  }

  @Test
  void aTransactionThatSelectsBeginsInTheClientsDatabase() {
    Peer client = rig.client();
    client.send(MULTI + set("a", "1") + SELECT_3 + get("b") + EXEC + get("c"));
    Peer own = rig.acceptUnanswered(0).expect(NAMING).send(OK);

    own.expect(MULTI + call("SELECT 0") + set("a", "1") + SELECT_3 + get("b") + EXEC)
        .send(OK + QUEUED.repeat(4) + "*4\r\n+OK\r\n+OK\r\n+OK\r\n$1\r\nb\r\n");

    client.expect(OK + QUEUED.repeat(3) + "*3\r\n+OK\r\n+OK\r\n$1\r\nb\r\n");
    acceptOn(3).expect(get("c"));
  }

  @Test
  void aTransactionWhoseSelectFailsLeavesTheDatabase() {
    Peer client = rig.client();
    client.send(MULTI + call("SELECT 99") + get("b") + EXEC + get("c"));
    Peer own = rig.acceptUnanswered(0).expect(NAMING).send(OK);

    own.expect(MULTI + call("SELECT 0") + call("SELECT 99") + get("b") + EXEC)
        .send(OK + QUEUED.repeat(3) + "*3\r\n+OK\r\n" + OUT_OF_RANGE + "$-1\r\n");

    client.expect(OK + QUEUED.repeat(2) + "*2\r\n" + OUT_OF_RANGE + "$-1\r\n");
    plain.expect(get("c"));
  }

  @Test
  void anAbortedTransactionLeavesTheDatabase() {
    Peer client = rig.client();
    client.send(MULTI + SELECT_3 + call("GET a") + EXEC + get("c"));
    Peer own = rig.acceptUnanswered(0).expect(NAMING).send(OK);

    own.expect(MULTI + call("SELECT 0") + SELECT_3 + get("a") + EXEC)
        .send(OK + QUEUED + "-NOPERM no\r\n" + QUEUED + "-EXECABORT x\r\n");

    client.expect(OK + QUEUED.repeat(2));
    client.expect("-EXECABORT Transaction discarded because of previous errors. NOPERM no\r\n");
    plain.expect(get("c"));
  }

  @Test
  void aTransactionSelectsBesidesOwnAnswers() {
    Peer client = rig.client();
    client.send(MULTI + call("ECHO x") + SELECT_3 + call("ECHO y") + EXEC + get("c"));
    Peer own = rig.acceptUnanswered(0).expect(NAMING).send(OK);

    own.expect(MULTI + call("SELECT 0") + SELECT_3 + EXEC)
        .send(OK + QUEUED.repeat(2) + "*2\r\n+OK\r\n+OK\r\n");

    client.expect(OK + QUEUED.repeat(3) + "*3\r\n$1\r\nx\r\n+OK\r\n$1\r\ny\r\n");
    acceptOn(3).expect(get("c"));
  }

  @Test
  void aTransactionThatSelectsWaitsForEarlierRequests() {
    Peer client = rig.client();
    client.send(get("a") + MULTI + SELECT_3 + EXEC);
    plain.expect(get("a"));

    plain.send("$-1\r\n");

    client.expect("$-1\r\n" + OK + QUEUED);
    rig.acceptUnanswered(0).expect(NAMING).send(OK).expect(MULTI + call("SELECT 0") + SELECT_3);
  }

  private Peer watching(Peer client) {
    client.send(call("WATCH a"));
    Peer lease =
        rig.acceptUnanswered(0)
            .expect(NAMING + call("CLIENT ID"))
            .send(OK + ":77\r\n")
            .expect(call("WATCH a"))
            .send(OK);
    client.expect(OK);
    return lease;
  }

  @Test
  void theWatchingConnectionFollowsTheClient() {
    Peer client = rig.client();
    Peer lease = watching(client);

    client.send(SELECT_3 + MULTI + get("b") + EXEC + get("c"));

    lease.expect(SELECT_3).send(OK);
    lease.expect(MULTI + get("b") + EXEC).send(OK + QUEUED + "*1\r\n$-1\r\n");
    client.expect(OK + OK + QUEUED + "*1\r\n$-1\r\n");
    lease.expectClosed(); // it is on another database
    acceptOn(3).expect(get("c"));
  }

  @Test
  void aWatchedTransactionMaySelect() {
    Peer client = rig.client();
    Peer lease = watching(client);

    client.send(MULTI + SELECT_3 + get("b") + EXEC + get("c"));

    lease
        .expect(MULTI + SELECT_3 + get("b") + EXEC)
        .send(OK + QUEUED.repeat(2) + "*2\r\n+OK\r\n$-1\r\n");
    client.expect(OK + QUEUED.repeat(2) + "*2\r\n+OK\r\n$-1\r\n");
    lease.expectClosed();
    acceptOn(3).expect(get("c"));
  }

  @Test
  void aSelectWhoseWatchingConnectionIsLostAsksTheNode() {
    Peer client = rig.client();
    Peer lease = watching(client);

    client.send(SELECT_3 + MULTI + get("b") + EXEC);
    lease.expect(SELECT_3).close();

    rig.acceptUnanswered(0).expect(NAMING).send(OK).expect(SELECT_3).send(OK);
    client.expect(OK + OK + QUEUED + "*-1\r\n");
  }

  @Test
  void unwatchAfterSelectClosesTheConnection() {
    Peer client = rig.client();
    Peer lease = watching(client);
    client.send(SELECT_3 + call("UNWATCH"));
    lease.expect(SELECT_3).send(OK);

    lease.expect(call("UNWATCH")).send(OK).expectClosed();
    client.expect(OK + OK);
  }

  @Test
  void aBlockingCallUsesTheDatabase() {
    Peer client = rig.client();
    select(client, 3);
    client.send(call("BLPOP l 0"));
    acceptOn(3).expect(MULTI + call("BLPOP l 0.001") + EXEC).send(OK + QUEUED + "*1\r\n*-1\r\n");

    rig.acceptUnanswered(0)
        .expect(NAMING + SELECT_3 + call("CLIENT ID"))
        .send(OK + OK + ":5\r\n")
        .expect(call("BLPOP l 0"))
        .send("*2\r\n$1\r\nl\r\n$1\r\nx\r\n");

    client.expect("*2\r\n$1\r\nl\r\n$1\r\nx\r\n");
  }

  @Test
  void aRetryUsesTheSameDatabase() {
    Peer client = rig.client();
    select(client, 3);
    client.send(get("a"));

    Peer third = acceptOn(3).expect(get("a")).send("-LOADING x\r\n");

    third.expect(get("a")).send("$-1\r\n");
    client.expect("$-1\r\n");
  }

  @Test
  void aDeniedSelectIsRejected() {
    rig.close();
    rig = new RigOptions().single().deny("select").start();

    rig.client().send(SELECT_3).expect("-ERR SELECT is not allowed through this proxy");
  }

  @Test
  void aClusterOfValkey8HasOneDatabase() {
    rig.close();
    rig = new RigOptions().valkey(8).start();

    rig.client()
        .send(SELECT_3 + call("SELECT 0"))
        .expect("-ERR SELECT is not allowed in cluster mode\r\n" + OK);
  }

  @Test
  void aClusterOfValkey9MayHaveSeveral() {
    rig.close();
    rig = new RigOptions().valkey(9).start();
    rig.connected(0);
    rig.connected(1);
    Peer client = rig.client().send(SELECT_3);
    rig.acceptUnanswered(1).expect(NAMING).send(OK).expect(SELECT_3).send(OK);
    client.expect(OK);

    client.send(get("b"));
    Peer node0 = acceptOn(3).expect(get("b"));
    node0.send("-MOVED 3300 127.0.0.1:" + rig.address(1).port() + "\r\n");

    rig.acceptUnanswered(1)
        .expect(NAMING + SELECT_3)
        .send(OK + OK)
        .expect(get("b"))
        .send("$-1\r\n");
    client.expect("$-1\r\n");
  }

  @Test
  void aClusterOfValkey9MayRejectADatabase() {
    rig.close();
    rig = new RigOptions().valkey(9).start();
    rig.connected(0);
    rig.connected(1);
    Peer client = rig.client().send(SELECT_3);
    String error = "-ERR SELECT is not allowed in cluster mode\r\n";

    rig.acceptUnanswered(1).expect(NAMING).send(OK).expect(SELECT_3).send(error);

    client.expect(error);
  }

  @Test
  void withSyncATurnIsOnItsDatabase() {
    rig.close();
    rig = new RigOptions().single().sync(4).start();
    Peer client = rig.client().send(SELECT_3);
    rig.acceptUnanswered(0)
        .expect(NAMING + call("CLIENT ID"))
        .send(OK + ":1\r\n")
        .expect(SELECT_3)
        .send(OK);
    client.expect(OK);

    client.send(get("a"));

    rig.acceptUnanswered(0)
        .expect(NAMING + SELECT_3 + call("CLIENT ID"))
        .send(OK + OK + ":2\r\n")
        .expect(get("a"))
        .send("$-1\r\n");
    client.expect("$-1\r\n");
  }
}
