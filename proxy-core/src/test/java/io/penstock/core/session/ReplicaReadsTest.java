package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.command.CommandRules;
import io.penstock.core.observe.ReadCounts;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.upstream.Balance;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.core.upstream.Shard;
import io.penstock.core.upstream.Zones;
import io.penstock.testkit.network.Peer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Node 0 is the master of all slots; nodes 1 and 2 are its replicas. */
@ParameterizedClass
@ValueSource(strings = {"async", "sync"})
class ReplicaReadsTest extends EitherDispatcher {

  private static final Duration OWN_WRITES = Duration.ofSeconds(5);
  private static final String ONE = "$1\r\n1\r\n";
  private static final String TWO = "$1\r\n2\r\n";
  private static final String OVERLOADED =
      new String(ErrorReplies.OVERLOADED, StandardCharsets.US_ASCII);
  private static final String LOADING = "-LOADING Redis is loading the dataset in memory\r\n";

  @Override
  RigOptions options() {
    return replicas(ReadFrom.REPLICA_PREFERRED, OWN_WRITES);
  }

  private static RigOptions replicas(ReadFrom from, Duration ownWrites) {
    return replicas(from, Balance.ROUND_ROBIN, ownWrites);
  }

  private static RigOptions replicas(ReadFrom from, Balance balance, Duration ownWrites) {
    var reads =
        new ReadSettings(from, balance, Zones.NONE, ReadSettings.NO_LAG_LIMIT, ownWrites, false);
    return new RigOptions().failoverHold(Duration.ofSeconds(200)).replicas(2, reads);
  }

  @Override
  int turnConnections() {
    return 2;
  }

  /** Accepts the proxy's next connection for reads to a replica. */
  private Peer acceptReads(int node) {
    return isSync()
        ? rig()
            .acceptUnanswered(node)
            .expect(NAMING + call("READONLY") + call("CLIENT ID"))
            .send("+OK\r\n+OK\r\n:7\r\n")
        : rig().acceptReads(node);
  }

  private ReadCounts counts() {
    return rig().onLoop(() -> rig().dispatcher().nodes().readCounts());
  }

  @Test
  void aReadGoesToAReplica() {
    Peer client = rig().client().send(get("a"));

    acceptReads(1).expect(get("a")).send(ONE);

    client.expect(ONE);
    assertThat(counts()).isEqualTo(new ReadCounts(1, 0));
  }

  @Test
  void clientsAreDistributedAndStayOnTheirReplica() {
    Peer first = rig().client().send(get("a"));
    Peer firstReplica = acceptReads(1).expect(get("a")).send(ONE);
    first.expect(ONE);
    Peer second = rig().client().send(get("a"));
    Peer secondReplica = acceptReads(2).expect(get("a")).send(ONE);
    second.expect(ONE);

    for (String key : List.of("a", "b", "c")) {
      first.send(get(key));
      firstReplica.expect(get(key)).send(ONE);
      first.expect(ONE);
      second.send(get(key));
      secondReplica.expect(get(key)).send(TWO);
      second.expect(TWO);
    }
  }

  @Test
  void aClientGetsTheReplicaWithTheFewestInFlight() {
    start(replicas(ReadFrom.REPLICA_PREFERRED, Balance.LEAST_IN_FLIGHT, OWN_WRITES));
    rig().client().send(get("a"));
    acceptReads(1).expect(get("a"));
    Peer second = rig().client().send(get("b"));
    Peer replica = acceptReads(2).expect(get("b")).send(ONE);
    second.expect(ONE);

    Peer third = rig().client().send(get("c"));

    replica.expect(get("c")).send(TWO);
    third.expect(TWO);
  }

  @Test
  void aWriterReadsThePartitionFromTheMasterForSomeTime() {
    Peer client = rig().client().send(set("a", "1"));
    Peer master = accept(0).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n").send(get("a"));
    master.expect(get("a")).send(ONE);
    client.expect(ONE).send(get("b")); // another partition
    Peer replica = acceptReads(1).expect(get("b")).send(TWO);
    client.expect(TWO);

    rig().advance(OWN_WRITES.plusMillis(1));

    client.send(get("a"));
    replica.expect(get("a")).send(ONE);
    client.expect(ONE);
    assertThat(counts()).isEqualTo(new ReadCounts(2, 1));
  }

  @Test
  void theTimeCountsFromTheReplyOfTheWrite() {
    Peer client = rig().client().send(set("a", "1"));
    Peer master = accept(0).expect(set("a", "1"));
    rig().advance(OWN_WRITES.multipliedBy(2));
    master.send("+OK\r\n");
    client.expect("+OK\r\n").send(get("a"));

    master.expect(get("a")).send(ONE);

    client.expect(ONE);
  }

  @Test
  void ownWritesMayBeReadFromReplicasAtOnce() {
    start(replicas(ReadFrom.REPLICA_PREFERRED, Duration.ZERO));
    Peer client = rig().client().send(set("a", "1"));
    accept(0).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n").send(get("a"));

    acceptReads(1).expect(get("a")).send(ONE);

    client.expect(ONE);
  }

  @Test
  void aReadBehindAnUnansweredWriteGoesToTheMaster() {
    Peer client = rig().client().send(set("a", "1") + get("a"));

    accept(0).expect(set("a", "1") + get("a")).send("+OK\r\n" + ONE);

    client.expect("+OK\r\n" + ONE);
  }

  @Test
  void aWriteWaitsForAReadOfItsPartitionAtAReplica() {
    Peer client = rig().client().send(get("a") + set("a", "2"));
    Peer replica = acceptReads(1).expect(get("a"));
    Peer other = rig().client().send(set("x", "1"));
    Peer first = accept(0).expect(set("x", "1")).send("+OK\r\n"); // and nothing before
    other.expect("+OK\r\n");

    replica.send(ONE);

    client.expect(ONE);
    first.expect(set("a", "2")).send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void aWriteToAnotherPartitionDoesNotWait() {
    start(options());
    Peer client = rig().client().send(get("a") + set("b", "2"));
    Peer replica = acceptReads(1).expect(get("a"));

    accept(0).expect(set("b", "2")).send("+OK\r\n");

    replica.send(ONE);
    client.expect(ONE + "+OK\r\n");
  }

  @Test
  void readsOfOnePartitionAreSentTogether() {
    Peer client = rig().client().send(get("a") + get("b") + get("a"));

    acceptReads(1).expect(get("a") + get("b") + get("a")).send(ONE + TWO + ONE);

    client.expect(ONE + TWO + ONE);
  }

  @Test
  void transactionsRunAtTheMaster() {
    Peer client = rig().client().send(call("MULTI") + get("a") + call("EXEC"));

    accept(0)
        .expect(call("MULTI") + get("a") + call("EXEC"))
        .send("+OK\r\n+QUEUED\r\n*1\r\n" + ONE);

    client.expect("+OK\r\n+QUEUED\r\n*1\r\n" + ONE);
  }

  @Test
  void aClientThatWatchesReadsFromTheMaster() {
    Peer shared = isSync() ? null : accept(0);
    Peer client = rig().client().send(call("WATCH a"));
    acceptOwn(0).expect(call("WATCH a")).send("+OK\r\n");
    client.expect("+OK\r\n").send(get("a"));
    (shared == null ? accept(0) : shared).expect(get("a")).send(ONE);

    client.expect(ONE).send(call("UNWATCH")).expect("+OK\r\n").send(get("a"));

    acceptReads(1).expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void commandsAboutANodeRunAtTheMaster() {
    Peer client = rig().client();
    String all =
        call("OBJECT FREQ a") + call("MEMORY USAGE a") + call("PFCOUNT a") + call("TOUCH a");
    client.send(all);

    accept(0).expect(all).send(":1\r\n:2\r\n:3\r\n:4\r\n");

    client.expect(":1\r\n:2\r\n:3\r\n:4\r\n");
  }

  @Test
  void scriptsThatOnlyReadRunAtAReplica() {
    Peer client = rig().client().send(call("EVAL_RO x 1 a"));

    acceptReads(1).expect(call("EVAL_RO x 1 a")).send(":1\r\n");

    client.expect(":1\r\n").send(call("EVAL x 1 a"));
    accept(0).expect(call("EVAL x 1 a")).send(":1\r\n");
    client.expect(":1\r\n");
  }

  @Test
  void aMissingScriptIsLoadedAtTheReplica() {
    Peer client = rig().client().send(call("EVAL_RO x 1 a"));
    Peer replica = acceptReads(1).expect(call("EVAL_RO x 1 a")).send(":1\r\n");
    client.expect(":1\r\n").send(call("EVALSHA_RO 11f6ad8ec52a2984abaafd7c3b516503785c2072 1 a"));

    replica
        .expect(call("EVALSHA_RO 11f6ad8ec52a2984abaafd7c3b516503785c2072 1 a"))
        .send("-NOSCRIPT No matching script.\r\n")
        .expect(call("SCRIPT LOAD x"))
        .send("$40\r\n11f6ad8ec52a2984abaafd7c3b516503785c2072\r\n")
        .expect(call("EVALSHA_RO 11f6ad8ec52a2984abaafd7c3b516503785c2072 1 a"))
        .send(":1\r\n");

    client.expect(":1\r\n");
  }

  @Test
  void aScriptThatAReplicaLacksRunsAtTheMaster() {
    Peer client = rig().client().send(call("EVALSHA_RO 0a 1 a"));

    Peer replica =
        acceptReads(1)
            .expect(call("EVALSHA_RO 0a 1 a"))
            .send("-NOSCRIPT No matching script. Please use EVAL.\r\n");

    accept(0).expect(call("EVALSHA_RO 0a 1 a")).send(":1\r\n");
    client.expect(":1\r\n").send(get("a"));
    replica.expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void withoutReadsFromTheMasterAScriptMayBeUnknown() {
    start(replicas(ReadFrom.REPLICA, OWN_WRITES));
    Peer client = rig().client().send(call("EVALSHA_RO 0a 1 a"));

    acceptReads(1).expect(call("EVALSHA_RO 0a 1 a")).send("-NOSCRIPT No matching script.\r\n");

    client.expect("-NOSCRIPT No matching script.\r\n");
  }

  @Test
  void aScriptOfASingleMasterIsLoadedAtItsReplica() {
    start(replicas(ReadFrom.REPLICA_PREFERRED, OWN_WRITES).sentinel());
    String digest = "11f6ad8ec52a2984abaafd7c3b516503785c2072";
    Peer client = rig().client().send(call("SCRIPT LOAD x"));
    accept(0).expect(call("SCRIPT LOAD x")).send("$40\r\n" + digest + "\r\n");
    client.expect("$40\r\n" + digest + "\r\n");
    rig().advance(OWN_WRITES.plusMillis(1));

    client.send(call("EVALSHA_RO " + digest + " 1 a"));

    accept(1)
        .expect(call("EVALSHA_RO " + digest + " 1 a"))
        .send("-NOSCRIPT No matching script.\r\n")
        .expect(call("SCRIPT LOAD x"))
        .send("$40\r\n" + digest + "\r\n")
        .expect(call("EVALSHA_RO " + digest + " 1 a"))
        .send(":1\r\n");
    client.expect(":1\r\n");
  }

  @Test
  void aSplitReadIsSentToReplicas() {
    Peer client = rig().client().send(call("MGET a b"));

    acceptReads(1).expect(call("MGET a") + call("MGET b")).send("*1\r\n" + ONE + "*1\r\n" + TWO);

    client.expect("*2\r\n" + ONE + TWO);
  }

  @Test
  void onlyTheWrittenPartOfASplitReadGoesToTheMaster() {
    Peer client = rig().client().send(set("a", "1"));
    Peer master = accept(0).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n").send(call("MGET a b"));

    master.expect(call("MGET a")).send("*1\r\n" + ONE);
    acceptReads(1).expect(call("MGET b")).send("*1\r\n" + TWO);

    client.expect("*2\r\n" + ONE + TWO);
  }

  @Test
  void aSplitWriteWaitsForReadsOfItsPartitions() {
    Peer client = rig().client().send(get("a") + call("MSET a 1 b 2"));
    Peer replica = acceptReads(1).expect(get("a"));
    Peer other = rig().client().send(set("x", "1"));
    Peer master = accept(0).expect(set("x", "1")).send("+OK\r\n");
    other.expect("+OK\r\n");

    replica.send(ONE);

    client.expect(ONE);
    master.expect(call("MSET a 1") + call("MSET b 2")).send("+OK\r\n+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void aReadBehindFlushallGoesToTheMaster() {
    Peer client = rig().client().send(call("FLUSHALL") + get("a"));
    Peer master = accept(0).expect(call("FLUSHALL")).send("+OK\r\n");
    master.expect(get("a")).send("$-1\r\n");
    client.expect("+OK\r\n$-1\r\n").send(get("b"));

    master.expect(get("b")).send("$-1\r\n");

    client.expect("$-1\r\n");
    rig().advance(OWN_WRITES.plusMillis(1));
    client.send(get("a"));
    acceptReads(1).expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void aReadWhoseReplicaIsLostIsSentToAnother() {
    Peer client = rig().client().send(get("a"));
    Peer replica = acceptReads(1).expect(get("a"));

    rig().server(1).stopListening();
    replica.reset();

    acceptReads(2).expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void aReplicaThatRefusesConnectionsIsLeftOut() {
    rig().server(1).stopListening();
    Peer client = rig().client().send(get("a"));

    acceptReads(2).expect(get("a")).send(ONE);

    client.expect(ONE);
  }

  @Test
  void aReplicaStaysInUseWhenALimitIsHit() {
    Assumptions.assumeFalse(isSync(), "turns have no such limit");
    start(replicas(ReadFrom.REPLICA_PREFERRED, OWN_WRITES).bounds(new QueueLimits(1, 1 << 20)));
    rig().mayBeRead(1);
    Peer client = rig().client().send(get("a"));
    Peer replica = acceptReads(1).expect(get("a")).send(ONE);
    client.expect(ONE).send(call("MGET a b c d e f g h i j k l m n o p q")); // one too many
    for (String key : "abcdefghijklmnop".split("")) {
      replica.expect(call("MGET " + key)).send("*1\r\n" + ONE);
    }
    client.expect(OVERLOADED);

    client.send(get("b"));

    replica.expect(get("b")).send(TWO);
    client.expect(TWO);
  }

  @Test
  void aReadThatAReplicaRejectsIsSentToAnother() {
    Peer client = rig().client().send(get("a"));
    acceptReads(1).expect(get("a")).send(LOADING);

    Peer other = acceptReads(2).expect(get("a")).send(ONE);

    client.expect(ONE).send(get("b"));
    other.expect(get("b")).send(TWO);
    client.expect(TWO);
  }

  @Test
  void withoutReplicasTheMasterIsReadIfItMayBe() {
    rig().mayBeRead();
    Peer client = rig().client().send(get("a"));

    accept(0).expect(get("a")).send(ONE);

    client.expect(ONE);
    assertThat(counts()).isEqualTo(ReadCounts.NONE);
  }

  @Test
  void withoutReplicasReadsWaitForOne() {
    start(replicas(ReadFrom.REPLICA, OWN_WRITES));
    rig().mayBeRead();
    Peer client = rig().client().send(get("a"));
    rig().tick(Duration.ZERO);

    rig().mayBeRead(2);

    acceptReads(2).expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void aReadFailsIfNoReplicaComesInTime() {
    start(replicas(ReadFrom.REPLICA, OWN_WRITES));
    rig().mayBeRead();
    Peer client = rig().client().send(get("a"));
    await().until(() -> rig().onLoop(() -> rig().dispatcher().nodes().heldRequests().size() == 1));

    rig().advance(Duration.ofSeconds(201));

    client.expect("-UNAVAILABLE no replica of the shard can be read; the command did not run\r\n");
  }

  @Test
  void aClientLeavesAReplicaThatMayNoLongerBeRead() {
    Peer client = rig().client().send(get("a"));
    acceptReads(1).expect(get("a")).send(ONE);
    client.expect(ONE);

    rig().mayBeRead(2);

    client.send(get("a"));
    acceptReads(2).expect(get("a")).send(TWO);
    client.expect(TWO);
  }

  @Test
  void aReadWaitsForEarlierOnesAtAnotherReplica() {
    Peer client = rig().client().send(get("a"));
    Peer before = acceptReads(1).expect(get("a"));
    rig().mayBeRead(2);
    client.send(get("a") + get("b"));
    Peer other = rig().client().send(get("x"));
    Peer after = acceptReads(2).expect(get("x")).send(ONE); // and nothing before
    other.expect(ONE);

    before.send(ONE);

    client.expect(ONE);
    after.expect(get("a") + get("b")).send(TWO + TWO);
    client.expect(TWO + TWO);
  }

  @Test
  void aRedirectOfAReplicaLeadsToTheMaster() {
    start(replicas(ReadFrom.REPLICA_PREFERRED, OWN_WRITES));
    rig().mayBeRead(1);
    Peer client = rig().client().send(get("a"));

    acceptReads(1)
        .expect(get("a"))
        .send("-MOVED 15495 127.0.0.1:" + rig().server(0).port() + "\r\n");

    accept(0).expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void readsGoOnAtTheReplicaThatIsPromoted() {
    Peer client = rig().client().send(get("a"));
    Peer promoted = acceptReads(1).expect(get("a"));
    rig()
        .publish(
            new SlotMap.Builder()
                .shard(new Shard(rig().address(1), List.of(rig().address(2)), 2))
                .range(0, 16_383)
                .build());

    promoted.send(ONE);
    client.expect(ONE).send(get("a") + set("a", "2"));

    accept(1).expect(get("a") + set("a", "2")).send(ONE + "+OK\r\n");
    client.expect(ONE + "+OK\r\n");
  }

  @Test
  void anUnansweredReadAtADeadReplicaIsSentToAnother() {
    Peer client = rig().client().send(get("a"));
    acceptReads(1).expect(get("a"));
    rig().tick(Duration.ofMillis(600));
    rig().tick(Duration.ofMillis(600)); // it owes a reply for long

    rig().mayBeRead(2);
    rig().tick(Duration.ofMillis(900));

    acceptReads(2).expect(get("a")).send(ONE);
    client.expect(ONE);
  }

  @Test
  void anUpstreamThatOnlyServesReadsRejectsWrites() {
    start(replicas(ReadFrom.REPLICA, OWN_WRITES).commands(CommandRules.NONE.forReadOnly()));
    String error = "-READONLY You can't write against a read only replica.\r\n";
    Peer client = rig().client();

    for (String write : List.of("SET a 1", "DEL a b", "EVAL x 1 a", "FLUSHALL", "BLPOP a 0")) {
      client.send(call(write)).expect(error);
    }

    client.send(get("a"));
    acceptReads(1).expect(get("a")).send(ONE);
    client.expect(ONE);
  }
}
