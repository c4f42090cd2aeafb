package io.penstock.core.copies;

import static io.penstock.core.copies.CopyTask.Result.DIFFERED;
import static io.penstock.core.copies.CopyTask.Result.DONE;
import static io.penstock.core.copies.CopyTask.Result.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.copies.CopyRig.Outcome;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.network.ScriptedNode;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** What the copy gets, byte by byte. */
@DisabledIfSystemProperty(
    named = "penstock.dispatch",
    matches = "sync",
    disabledReason = "the order on a shared connection")
class CopyOrderTest {

  private static final String PING = Wire.request("PING");
  private static final String LOADING = "-LOADING server is loading the dataset in memory\r\n";
  private static final String A1 = Wire.request("SET", "a", "1");
  private static final String A2 = Wire.request("SET", "a", "2");
  private static final String B = Wire.request("SET", "b", "1");
  private static final String C = Wire.request("SET", "c", "1");

  private final ScriptedNode node = new ScriptedNode();
  private final CopyRig rig =
      CopyRig.of(node.port(), Duration.ofSeconds(5), CopyRig.limits(1_000_000));

  @AfterEach
  void close() {
    rig.close();
    node.close();
  }

  @Test
  void whatDidNotRunIsSentAgainBeforeAnythingNew() {
    Outcome a = set("a 1");
    Outcome b = set("b 1");
    Peer peer = node.accept();
    peer.expect(A1 + B).send(LOADING);
    peer.expect(PING);
    Outcome c = set("c 1");
    peer.send(LOADING + "+PONG\r\n").expect(A1 + B).send("+OK\r\n+OK\r\n");
    peer.expect(C).send("+OK\r\n");

    await().until(() -> c.result() == DONE && a.result() == DONE && b.result() == DONE);
  }

  @Test
  void whatAnotherKeysWriteOvertookIsSentAgain() {
    Outcome a = set("a 1");
    Outcome b = set("b 1");
    Peer peer = node.accept();
    peer.expect(A1 + B).send(LOADING + "+OK\r\n").expect(PING).send("+PONG\r\n");
    peer.expect(A1).send("+OK\r\n");

    await().until(() -> a.result() == DONE && b.result() == DONE);
  }

  @Test
  void whatALaterWriteOfTheKeyOvertookIsCopiedAgain() {
    Outcome first = set("a 1");
    Outcome second = set("a 2");
    Peer peer = node.accept();
    peer.expect(A1 + A2).send(LOADING + "+OK\r\n").expect(PING).send("+PONG\r\n");

    await().until(() -> first.result() == DIFFERED && second.result() == DONE);
    assertThat(rig.awaitRepair().key()).isEqualTo("a");
    assertThat(peer.pending()).isZero();
  }

  @Test
  void aCopyThatIsNotReadyYetIsAskedAgain() {
    Outcome a = set("a 1");
    Peer peer = node.accept();
    peer.expect(A1).send(LOADING).expect(PING).send(LOADING).expect(PING).send("-NOPERM no\r\n");
    peer.expect(A1).send("+OK\r\n");

    await().until(() -> a.result() == DONE);
  }

  @Test
  void whatWasInFlightOnALostConnectionIsCopiedAgain() {
    Outcome a = set("a 1");
    Outcome b = set("b 1");
    Peer first = node.accept();
    first.expect(A1 + B).send("+OK\r\n");
    await().until(() -> a.result() == DONE);
    first.close();

    await().until(() -> b.result() == UNKNOWN);
    Outcome c = set("c 1");
    node.accept().expect(PING).send("+PONG\r\n").expect(C).send("+OK\r\n");
    await().until(() -> c.result() == DONE);
    assertThat(rig.awaitRepair().key()).isEqualTo("b");
  }

  @Test
  void aLostRequestWithoutKeysLeavesTheCopyBehind() {
    Outcome flush = rig.offer(Tasks.asIs("FLUSHALL", "+OK"));
    Outcome later = set("a 1");
    Peer first = node.accept();
    first.expect(Wire.request("FLUSHALL"));
    first.close();

    await().until(() -> flush.result() == UNKNOWN);
    assertThat(rig.queue.losses()).isEqualTo(1);
    node.accept().expect(PING).send("+PONG\r\n").expect(A1).send("+OK\r\n");
    await().until(() -> later.result() == DONE);
  }

  @Test
  void aTransactionThatWasNotQueuedIsSentAgain() {
    String block =
        Wire.request("MULTI") + A1 + Wire.request("SET", "b", "1") + Wire.request("EXEC");
    Outcome both = rig.offer(Tasks.instead(-1, "SET a 1", "SET b 1"));
    Peer peer = node.accept();
    peer.expect(block)
        .send("+OK\r\n+QUEUED\r\n-BUSY script\r\n-EXECABORT Transaction discarded\r\n");
    peer.expect(PING).send("+PONG\r\n");
    peer.expect(block).send("+OK\r\n+QUEUED\r\n+QUEUED\r\n-EXECABORT Transaction discarded");
    peer.send(" because of: READONLY You can't write\r\n").expect(PING).send("+PONG\r\n");
    peer.expect(block).send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n+OK\r\n");

    await().until(() -> both.result() == DONE);
  }

  @Test
  void aTransactionThatRanOneByOneDiffers() {
    Outcome both = rig.offer(Tasks.instead(-1, "SET a 1", "SET b 1"));
    node.accept()
        .expect(Wire.request("MULTI") + A1 + B + Wire.request("EXEC"))
        .send("-NOPERM no\r\n+OK\r\n+OK\r\n-ERR EXEC without MULTI\r\n");

    await().until(() -> both.result() == DIFFERED);
    assertThat(rig.awaitRepair().key()).isEqualTo("a");
    assertThat(rig.awaitRepair().key()).isEqualTo("b");
  }

  private Outcome set(String arguments) {
    return rig.offer(Tasks.asIs("SET " + arguments, "+OK"));
  }
}
