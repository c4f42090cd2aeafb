package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.awaitility.Awaitility.await;

import io.penstock.core.cluster.SlotMaps;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** WAIT and WAITAOF, between a client and the masters of two shards, which the test plays. */
class WaitCallTest {

  private static final String LOOK = call("INFO replication");
  private static final String PAUSE = call("WAIT 2147483647 2");
  private static final String PAUSE_4 = call("WAIT 2147483647 4");

  /** Restores a dump of no functions: a write that changes nothing. */
  private static final String MARK =
      "*4\r\n$8\r\nFUNCTION\r\n$7\r\nRESTORE\r\n"
          + "$10\r\n\n\0]\u009b\\@\u000f\u007f\u00a2\u00da\r\n$6\r\nAPPEND\r\n";

  private final Rig rig = Rig.cluster();

  @SuppressWarnings("NullAway.Init")
  private Peer node; // the shared connection to node 1

  @BeforeEach
  void connect() {
    node = rig.connected(1);
    rig.accept(0);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private Peer lease(int node) {
    return connection(node).expect(LOOK);
  }

  private Peer connection(int node) {
    return rig.acceptUnanswered(node).expect(NAMING + call("CLIENT ID")).send("+OK\r\n:77\r\n");
  }

  private static String fsynced(int local, int replicas) {
    return "*2\r\n:" + local + "\r\n:" + replicas + "\r\n";
  }

  private static String role(long offset, long... acknowledged) {
    return master("h1", offset, "h0", -1, acknowledged);
  }

  /** The replication info of a master that continued another's stream behind {@code end}. */
  private static String master(
      String history, long offset, String earlier, long end, long... acknowledged) {
    var info = new StringBuilder("# Replication\r\nrole:master\r\n");
    for (int i = 0; i < acknowledged.length; i++) {
      info.append(
          "slave" + i + ":ip=h,port=1,state=online,offset=" + acknowledged[i] + ",lag=0\r\n");
    }
    info.append("slave9:ip=h,port=9,state=send_bulk,offset=999999,lag=0\r\n");
    info.append("master_replid:" + history + "\r\nmaster_replid2:" + earlier + "\r\n");
    info.append("master_repl_offset:" + offset + "\r\nsecond_repl_offset:" + end + "\r\n");
    return Wire.bulk(info.toString());
  }

  private static final String REPLICA =
      Wire.bulk("# Replication\r\nrole:slave\r\nmaster_replid:h1\r\nmaster_repl_offset:7\r\n");

  @Test
  void theShardWithTheFewestReplicasCounts() {
    Peer client = rig.client();
    client.send(call("WAIT 1 0") + PING);
    lease(0).send(role(100, 100, 90, 120));
    lease(1).send(role(5_000, 5_000));

    client.expect(":1\r\n+PONG\r\n");
  }

  @Test
  void offsetsAtTheBeginningMustBeAcknowledged() {
    Peer client = rig.client();
    client.send(call("WAIT 1 0"));
    lease(0).send(role(100, 100));
    Peer slow = lease(1).send(role(100, 60)).expect(PAUSE).send(":0\r\n");
    slow.expect(LOOK).send(role(500, 99)).expect(call("WAIT 2147483647 4")).send(":0\r\n");

    slow.expect(LOOK).send(role(900, 100));

    client.expect(":1\r\n");
  }

  @Test
  void earlierRequestsAreAnsweredFirst() {
    Peer client = rig.client();
    client.send(set("a", "1") + call("WAIT 0 0"));
    node.expect(set("a", "1"));
    node.send("+OK\r\n");
    lease(0).send(role(1));
    lease(1).send(role(1));
    client.expect("+OK\r\n:0\r\n");
  }

  @Test
  void atTheTimeoutTheCountSoFarIsReturned() {
    Peer client = rig.client();
    client.send(call("WAIT 2 1"));
    Peer first = lease(0);
    Peer last = lease(1);
    long begun = System.nanoTime(); // or earlier
    await().until(() -> System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(1));
    first.send(role(1, 1));
    last.send(role(1, 1));
    client.expect(":1\r\n");
    client.send(call("WAIT 1 0"));
    last.read(1); // released: the next call uses it
  }

  @ParameterizedTest
  @CsvSource({
    "WAIT x 0, ERR value is not an integer or out of range",
    "WAIT 1 x, ERR timeout is not an integer or out of range",
    "WAIT 1 -1, ERR timeout is negative",
    "WAIT 1, ERR wrong number of arguments for 'wait' command"
  })
  void wrongArgumentsHaveTheErrorsOfRedis(String call, String error) {
    rig.client().send(call(call)).expect("-" + error + "\r\n");
  }

  /** Publishes that node 0 is the master of all slots now. */
  private void promote() {
    rig.publish(SlotMaps.oneMaster(rig.address(0)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
        "-UNBLOCKED force unblock from blocking operation, instance state changed\r\n",
        "-ERR WAIT cannot be used with replica instances. Please also note that\r\n"
      })
  void aNewMasterWithAllWritesIsUsedInstead(String told) {
    rig.publish(SlotMaps.oneMaster(rig.address(1)));
    Peer client = rig.client();
    client.send(call("WAIT 1 0"));
    lease(1).send(role(100, 90)).expect(PAUSE).send(told).expectClosed();
    Peer old = lease(1);
    promote();
    old.send(REPLICA).expectClosed();

    lease(0)
        .send(master("h2", 130, "h1", 101, 99))
        .expect(PAUSE_4)
        .send(":0\r\n")
        .expect(LOOK)
        .send(master("h2", 130, "h1", 101, 100));

    client.expect(":1\r\n");
  }

  @Test
  void replicasOfANewMasterThatLacksWritesDoNotCount() {
    rig.publish(SlotMaps.oneMaster(rig.address(1)));
    Peer client = rig.client();
    client.send(call("WAIT 1 2000"));
    Peer old = lease(1).send(role(100, 90)).expect(PAUSE);
    promote();
    old.close();

    lease(0).send(master("h2", 130, "h1", 100, 130)).expectClosed();

    client.expect(":0\r\n");
  }

  /** It is not known which writes its replicas had received. */
  @Test
  void replicasOfAMasterLostTooEarlyDoNotCount() {
    rig.publish(SlotMaps.oneMaster(rig.address(1)));
    Peer client = rig.client();
    client.send(call("WAIT 1 100") + PING);
    lease(1).close();
    client.expect(":0\r\n+PONG\r\n");

    client.send(call("WAIT 1 0"));
    lease(1).close();
    client.expect("-CONNLOST the connection to the node was lost before it answered\r\n");
  }

  @Test
  void aConnectionThatIsLostIsReplaced() {
    rig.publish(SlotMaps.oneMaster(rig.address(1)));
    Peer client = rig.client();
    client.send(call("WAIT 1 0"));
    lease(1).send(role(100, 90)).expect(PAUSE).close();
    lease(1).send(role(200, 100));
    client.expect(":1\r\n");
  }

  @Test
  void aWaitCanBeUnblockedOrAbandoned() {
    Peer client = rig.client();
    client.send(call("WAIT 3 0"));
    lease(0).send(role(1, 1));
    lease(1).send(role(1, 1));
    Peer other = rig.client();
    other.send(call("CLIENT UNBLOCK 1")).expect(":1\r\n");
    client.expect(":1\r\n").send(call("WAIT 3 0")).finishSending().expectClosed();
  }

  @Test
  void waitDoesNotBlockInATransaction() {
    Peer client = rig.client();
    String block = call("MULTI") + set("a", "1") + call("WAIT 1 0") + call("EXEC");
    client.send(block);
    node.expect(block.replace(call("WAIT 1 0"), call("WAIT 1 1"))); // in case MULTI fails
    node.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n:0\r\n");
    client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n:0\r\n");
  }

  @Test
  void waitaofReturnsTheMinimumOfEachCount() {
    Peer client = rig.client();
    client.send(call("WAITAOF 1 2 0") + PING);
    connection(0).expect(MARK).send("+OK\r\n").expect(call("WAITAOF 1 2 100")).send(fsynced(1, 4));
    Peer other = connection(1).expect(MARK).send("+OK\r\n");
    other.expect(call("WAITAOF 1 2 100")).send(fsynced(1, 1));
    other.expect(call("WAITAOF 1 2 100")).send(fsynced(0, 2));
    other.expect(call("WAITAOF 1 2 100")).send(fsynced(1, 3));

    client.expect(fsynced(1, 3) + "+PONG\r\n");
  }

  @Test
  void waitaofRunsOnceWithAnyTimeout() {
    Peer client = rig.client();
    client.send(set("a", "1") + call("WAITAOF 0 3 1"));
    node.expect(set("a", "1")).send("+OK\r\n");
    Peer first = connection(0).expect(MARK);
    Peer last = connection(1).expect(MARK);
    long begun = System.nanoTime(); // or earlier
    await().until(() -> System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(1));
    first.send("+OK\r\n").expect(call("WAITAOF 0 3 1")).send(fsynced(1, 1));
    last.send("+OK\r\n").expect(call("WAITAOF 0 3 1")).send(fsynced(0, 2));

    client.expect("+OK\r\n" + fsynced(0, 1));
  }

  @ParameterizedTest
  @CsvSource({
    "WAITAOF x 0 0, ERR value is not an integer or out of range",
    "WAITAOF 2 0 0, 'ERR value is out of range, value must between 0 and 1'",
    "WAITAOF -1 0 0, 'ERR value is out of range, value must between 0 and 1'",
    "WAITAOF 1 x 0, 'ERR value is out of range, must be positive'",
    "WAITAOF 1 -1 0, 'ERR value is out of range, must be positive'",
    "WAITAOF 1 0 x, ERR timeout is not an integer or out of range",
    "WAITAOF 1 0 -1, ERR timeout is negative",
    "WAITAOF 1 0 9223372036854775807, ERR timeout is out of range",
    "WAITAOF 1 0, ERR wrong number of arguments for 'waitaof' command"
  })
  void wrongArgumentsOfWaitaofHaveTheErrorsOfRedis(String call, String error) {
    rig.client().send(call(call)).expect("-" + error + "\r\n");
  }

  @Test
  void anErrorOfAMasterEndsWaitaof() {
    Peer client = rig.client();
    client.send(call("WAITAOF 1 0 0"));
    Peer master = connection(0).expect(MARK).send("+OK\r\n").expect(call("WAITAOF 1 0 100"));
    master.send("-ERR appendonly is disabled\r\n");
    client.expect("-ERR appendonly is disabled\r\n");
    connection(1).expect(MARK).send("+OK\r\n"); // arrives too late
  }

  @Test
  void waitaofGoesToTheMasterOfAReplica() {
    rig.publish(SlotMaps.oneMaster(rig.address(1)));
    Peer client = rig.client();
    client.send(call("WAITAOF 1 0 0"));
    String readonly = "-READONLY You can't write against a read only replica.\r\n";
    Peer old = connection(1).expect(MARK);
    promote();
    old.send(readonly).expectClosed();

    connection(0).expect(MARK).send("+OK\r\n").expect(call("WAITAOF 1 0 100")).send(fsynced(1, 0));
    client.expect(fsynced(1, 0));
  }

  @Test
  void afterAMasterIsLostWaitaofReturnsTheLastCounts() {
    rig.publish(SlotMaps.oneMaster(rig.address(1)));
    Peer client = rig.client();
    client.send(call("WAITAOF 1 1 2000"));
    String ask = call("WAITAOF 1 1 100");
    Peer master = connection(1).expect(MARK).send("+OK\r\n").expect(ask).send(fsynced(1, 0));
    master.expect(ask).close();
    client.expect(fsynced(1, 0)); // as seen last
  }

  @Test
  void anUnknownWaitaofErrorShowsTheClientsArguments() {
    Peer client = rig.client();
    client.send(call("WAITAOF 1 0 5000"));
    connection(0)
        .expect(MARK)
        .send("+OK\r\n")
        .expect(call("WAITAOF 1 0 100"))
        .send("-ERR unknown command 'WAITAOF', with args beginning with: '1' '0' '100' \r\n");
    client.expect("-ERR unknown command 'WAITAOF', with args beginning with: '1' '0' '5000' \r\n");
  }

  @Test
  void waitaofDoesNotBlockInATransaction() {
    Peer client = rig.client();
    String block = call("MULTI") + set("a", "1") + call("WAITAOF 0 1 0") + call("EXEC");
    client.send(block);
    node.expect(block.replace(call("WAITAOF 0 1 0"), call("WAITAOF 0 1 1")));
    node.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n" + fsynced(0, 1));
    client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n" + fsynced(0, 1));
  }
}
