package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Moves between two slots, step by step, and what their failures leave. */
class MoveTest {

  private static final String MISSING = "+OK\r\n$-1\r\n:-2\r\n";
  private static final String VALUE = "+OK\r\n" + Wire.bulk("dumped") + ":-1\r\n";
  private static final String DONE = "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n";
  private static final String REMOVED = "+OK\r\n+QUEUED\r\n*1\r\n:1\r\n";
  private static final String LOST = "+OK\r\n+QUEUED\r\n*-1\r\n";
  private static final String OK = "+OK\r\n";

  private final Rig rig = new RigOptions().emulatesCrossSlot(10_000).start();

  private final Peer client = rig.client();

  @BeforeEach
  void connect() {
    rig.connected(0);
    rig.connected(1);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /** Accepts an exclusive connection. */
  private Peer lease(int node) {
    return lease(rig, node);
  }

  private static Peer lease(Rig on, int node) {
    return on.acceptUnanswered(node)
        .expect(ScriptedNode.NAMING + call("CLIENT ID"))
        .send("+OK\r\n:7\r\n");
  }

  private static String look(String key) {
    return call("WATCH " + key) + call("DUMP " + key) + call("PEXPIRETIME " + key);
  }

  private static String restored(String expiry) {
    return call("MULTI")
        + Wire.request("RESTORE", "b", expiry, "dumped", "REPLACE", "ABSTTL")
        + call("EXEC")
        + call("WATCH b");
  }

  private static String removal() {
    return call("MULTI") + call("DEL a") + call("EXEC");
  }

  private record Nodes(Peer source, Peer destination) {}

  /** Begins a {@code RENAME} and reads both keys: only the source exists. */
  private Nodes looked() {
    client.send(call("RENAME a b"));
    var nodes = new Nodes(lease(1), lease(0));
    nodes.source().expect(look("a")).send(VALUE);
    nodes.destination().expect(look("b")).send(MISSING);
    return nodes;
  }

  /** The same, and writes the destination. */
  private Nodes written() {
    Nodes nodes = looked();
    nodes.destination().expect(restored("0")).send(DONE + OK);
    return nodes;
  }

  @Test
  void aRenameTakesThreeRoundTrips() {
    client.send(call("RENAME a b"));
    Peer source = lease(1);
    Peer destination = lease(0);

    source.expect(look("a"));
    destination.expect(look("b"));
    source.send("+OK\r\n" + Wire.bulk("dumped") + ":1700000000123\r\n");
    destination.send(MISSING).expect(restored("1700000000123")).send(DONE + OK);
    source.expect(removal()).send(REMOVED);

    client.expect("+OK\r\n");
    destination.expect(call("UNWATCH")).send(OK);
  }

  @Test
  void aLostRaceGivesTheDestinationWhatItHad() {
    client.send(call("RENAME a b"));
    Peer source = lease(1);
    Peer destination = lease(0);
    source.expect(look("a")).send(VALUE);
    destination.expect(look("b")).send("+OK\r\n" + Wire.bulk("before") + ":-1\r\n");
    destination.expect(restored("0")).send(DONE + OK);
    source.expect(removal()).send(LOST);
    source.expect(look("a")).send(MISSING);

    destination
        .expect(
            call("MULTI")
                + Wire.request("RESTORE", "b", "0", "before", "REPLACE", "ABSTTL")
                + call("EXEC"))
        .send(DONE);

    source.expect(look("a")).send(MISSING);
    destination.expect(look("b")).send("+OK\r\n" + Wire.bulk("before") + ":-1\r\n");
    client.expect("-ERR no such key\r\n");
  }

  @Test
  void nothingIsUndoneThatOthersHaveChanged() {
    client.send(call("RENAMENX a b"));
    Peer source = lease(1);
    Peer destination = lease(0);
    source.expect(look("a")).send(VALUE);
    destination.expect(call("WATCH b") + call("EXISTS b")).send("+OK\r\n:0\r\n");
    destination.expect(restored("0")).send(DONE + OK);
    source.expect(removal()).send(LOST);
    source.expect(look("a")).send(MISSING);

    destination.expect(call("MULTI") + call("DEL b") + call("EXEC")).send(LOST);

    destination.expect(call("WATCH b") + call("EXISTS b")).send("+OK\r\n:1\r\n");
    client.expect(
        "-ERR the source was not removed, and the destination could not be given back what it had:"
            + " both may have the value\r\n");
  }

  @Test
  void aValueThatIsTooLargeIsRefusedWithTheFigure() {
    client.send(call("RENAME a b"));
    Peer source = lease(1);
    Peer destination = lease(0);
    destination.expect(look("b")).send(MISSING);

    source.expect(look("a")).send("+OK\r\n" + Wire.bulk("x".repeat(11_000)) + ":-1\r\n");

    client.expect(
        "-OVERLOADED the command collects values of more than 10000 bytes from several slots"
            + " (cross-slot-max-bytes); it did not run\r\n");
  }

  /** The replies to the write exceed the limit, which is for what is read. */
  @Test
  void aValueThatIsJustNotTooLargeIsMoved() {
    String dump = "x".repeat(9_960);
    client.send(call("RENAME a b"));
    Peer source = lease(1);
    Peer destination = lease(0);
    source.expect(look("a")).send(OK + Wire.bulk(dump) + ":-1\r\n");
    destination.expect(look("b")).send(MISSING);
    destination.expect(restored("0").replace(Wire.bulk("dumped"), Wire.bulk(dump))).send(DONE + OK);

    source.expect(removal()).send(REMOVED);

    client.expect(OK);
  }

  @Test
  void aWriteThatTheNodeRefusesEndsTheMove() {
    Nodes nodes = looked();

    nodes
        .destination()
        .expect(restored("0"))
        .send(
            "+OK\r\n-OOM command not allowed\r\n"
                + "-EXECABORT Transaction discarded because of previous errors.\r\n+OK\r\n");

    client.expect("-OOM command not allowed\r\n");
    nodes.source().expect(call("UNWATCH"));
  }

  @Test
  void aValueThatTheNodeDoesNotKnowEndsTheMove() {
    Nodes nodes = looked();

    nodes
        .destination()
        .expect(restored("0"))
        .send("+OK\r\n+QUEUED\r\n*1\r\n-ERR Bad data format\r\n+OK\r\n");

    client.expect("-ERR the node of the destination cannot use the value: ERR Bad data format\r\n");
  }

  @Test
  void aRemovalThatTheNodeRefusesIsUndone() {
    Nodes nodes = written();

    nodes
        .source()
        .expect(removal())
        .send(
            "+OK\r\n-MISCONF no\r\n-EXECABORT Transaction discarded because of previous errors.\r\n");

    nodes.destination().expect(call("MULTI") + call("DEL b") + call("EXEC")).send(REMOVED);
    client.expect("-MISCONF no\r\n");
  }

  @Test
  void aRemovalOfWhichNothingIsKnownIsNeverUndone() {
    Nodes nodes = written();

    nodes.source().expect(removal()).reset();

    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
    nodes.destination().expect(call("UNWATCH"));
  }

  @Test
  void aNodeThatRunsNothingYetEndsInANewAttempt() {
    Nodes nodes = written();

    nodes
        .source()
        .expect(removal())
        .send(
            "+OK\r\n+QUEUED\r\n-EXECABORT Transaction discarded because of: LOADING Redis is loading"
                + " the dataset in memory\r\n");

    nodes.destination().expect(call("EXISTS b")).send(":1\r\n");
    nodes.destination().expect(call("MULTI") + call("DEL b") + call("EXEC")).send(REMOVED);
    nodes.destination().expect(look("b")).send(MISSING);
    lease(1).expect(look("a")).send(MISSING);
    client.expect("-ERR no such key\r\n");
  }

  /** A block that it refused would end what is watched there. */
  @Test
  void anUndoWaitsUntilTheClusterOfTheDestinationServes() {
    Nodes nodes = written();
    String down = "-CLUSTERDOWN The cluster is down\r\n";

    nodes
        .source()
        .expect(removal())
        .send(OK + down + "-EXECABORT Transaction discarded because of previous errors.\r\n");

    nodes.destination().expect(call("EXISTS b")).send(down);
    nodes.destination().expect(call("EXISTS b")).send(":1\r\n");
    nodes.destination().expect(call("MULTI") + call("DEL b") + call("EXEC")).send(REMOVED);
    nodes.destination().expect(look("b")).send(MISSING);
    lease(1).expect(look("a")).send(MISSING);
    client.expect("-ERR no such key\r\n");
  }

  @Test
  void whatCannotBeUndoneInTimeIsSaid() {
    Nodes nodes = written();
    String down = "-CLUSTERDOWN The cluster is down\r\n";
    nodes
        .source()
        .expect(removal())
        .send(OK + down + "-EXECABORT Transaction discarded because of previous errors.\r\n");

    nodes.destination().expect(call("EXISTS b")).send(down).expect(call("EXISTS b"));
    rig.advance(Duration.ofSeconds(101)); // beyond the failover hold

    nodes.destination().send(down);
    client.expect(
        "-ERR the source was not removed, and the destination could not be given back what it had:"
            + " both may have the value\r\n");
  }

  /** The destination had the member, and was changed since an earlier attempt. */
  @Test
  void aMemberThatWasThereIsWrittenAgainAfterALostRace() {
    client.send(call("SMOVE a b m"));
    String there = call("WATCH a") + call("EXISTS a") + call("SISMEMBER a m");
    Peer source = lease(1).expect(there).send(OK + ":1\r\n:1\r\n");
    Peer destination = lease(0).expect(call("SISMEMBER b m")).send(":1\r\n");
    String write =
        call("MULTI")
            + call("SADD b m penstock:tmp:member")
            + call("SREM b penstock:tmp:member")
            + call("EXEC");

    destination.expect(write + call("WATCH b")).send(OK + "+QUEUED\r\n+QUEUED\r\n*-1\r\n" + OK);

    source.expect(there).send(OK + ":1\r\n:1\r\n");
    destination.expect(call("SISMEMBER b m")).send(":1\r\n").expect(write + call("WATCH b"));
  }

  @Test
  void aSlotThatMigratesIsAskedForOnceABlock() {
    client.send(call("RENAME a b"));
    Peer source = lease(1);
    Peer destination = lease(0);
    source.expect(look("a"));
    destination.expect(look("b")).send(MISSING);
    String ask = "-ASK 15495 127.0.0.1:" + rig.address(0).port() + "\r\n";

    source.send("+OK\r\n" + ask + ask);

    Peer importing = lease(0);
    String asking = call("ASKING");
    importing
        .expect(asking + call("WATCH a") + asking + call("DUMP a") + asking + call("PEXPIRETIME a"))
        .send(OK + OK + OK + Wire.bulk("dumped") + OK + ":-1\r\n");
    destination.expect(look("b")).send(MISSING).expect(restored("0")).send(DONE + OK);
    importing.expect(asking + removal()).send(OK + REMOVED);
    client.expect("+OK\r\n");
  }

  @Test
  void aMovedSlotIsFollowed() {
    client.send(call("RENAME a b"));
    Peer source = lease(1);
    Peer destination = lease(0);
    source.expect(look("a"));
    destination.expect(look("b")).send(MISSING);
    String moved = "-MOVED 15495 127.0.0.1:" + rig.address(0).port() + "\r\n";

    source.send(moved + moved + moved);

    lease(0).expect(look("a")).send(VALUE);
    destination.expect(look("b")).send(MISSING).expect(restored("0"));
  }

  @Test
  void anElementIsTakenBackFromTheDestinationByItsValue() {
    client.send(call("LMOVE a b LEFT RIGHT"));
    Peer source = lease(1).expect(call("WATCH a") + call("LINDEX a 0"));
    source.send(OK + Wire.bulk("x"));
    Peer destination = lease(0).expect(call("RPUSH b x")).send(":4\r\n");
    String removal = call("MULTI") + call("LPOP a") + call("EXEC");
    source.expect(removal).send(LOST);
    source.expect(call("WATCH a") + call("LINDEX a 0")).send(OK + Wire.bulk("x"));
    source.expect(removal).send(LOST); // others push all the time: it is not written again
    source.expect(call("WATCH a") + call("LINDEX a 0")).send(OK + "$-1\r\n");

    destination.expect(call("LREM b -1 x")).send(":1\r\n");

    source.expect(call("WATCH a") + call("LINDEX a 0")).send(OK + "$-1\r\n");
    client.expect("$-1\r\n");
  }

  @Test
  void anOlderNodeHasNoExpiryTimes() {
    try (Rig older = new RigOptions().emulatesCrossSlot(10_000).servers("redis 6.2.0").start()) {
      older.connected(0);
      older.connected(1);
      Peer its = older.client().send(call("RENAME a b"));
      Peer source = lease(older, 1);
      Peer destination = lease(older, 0);
      source.expect(call("WATCH a") + call("DUMP a") + call("PTTL a"));
      destination.expect(call("WATCH b") + call("DUMP b") + call("PTTL b")).send(MISSING);

      source.send(OK + Wire.bulk("dumped") + ":0\r\n");

      destination.expect(
          call("MULTI") + Wire.request("RESTORE", "b", "1", "dumped", "REPLACE") + call("EXEC"));
      assertThat(its.pending()).isZero();
    }
  }
}
