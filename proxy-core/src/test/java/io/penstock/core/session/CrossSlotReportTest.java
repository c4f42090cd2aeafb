package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import io.penstock.core.observe.CrossSlotCounts;
import io.penstock.testkit.network.Peer;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands over several slots that are rejected, and counted if they could be carried out. */
class CrossSlotReportTest {

  private static final String CROSS_SLOT =
      "-CROSSSLOT Keys in request don't hash to the same slot\r\n";

  private final Rig rig = new RigOptions().reportsCrossSlot().start();

  @AfterEach
  void close() {
    rig.close();
  }

  private static final String ABORTED =
      "-EXECABORT Transaction discarded because of previous errors.\r\n";

  private static int id(String command) {
    return Objects.requireNonNull(CommandTable.load().byName(command)).id();
  }

  private long rejected(String command) {
    return rig.<Long>onLoop(() -> counts().rejected(id(command)));
  }

  private CrossSlotCounts counts() {
    return rig.sessions().counters().crossSlot();
  }

  @Test
  void aCommandIsRejectedAndCounted() {
    Peer client = rig.client();

    client.send(call("RENAME a b") + call("SUNION a b") + call("RENAME b c"));

    client.expect(CROSS_SLOT.repeat(3));
    assertThat(rejected("rename")).isEqualTo(2);
    assertThat(rejected("sunion")).isEqualTo(1);
    assertThat(rig.<Long>onLoop(() -> counts().commands(id("rename")))).isZero();
  }

  @Test
  void aCommandThatNothingCouldCarryOutIsNotCounted() {
    Peer client = rig.client();

    client.send(call("EVAL x 2 a b") + call("EVAL_RO x 2 a b"));

    client.expect(CROSS_SLOT.repeat(2));
    assertThat(rejected("eval")).isZero();
    assertThat(rejected("eval_ro")).isZero(); // without cross-slot-scripts
  }

  @Test
  void aCommandThatNeedsStepsInATransactionIsNotCounted() {
    Peer client = rig.client();

    client.send(call("MULTI") + call("RENAME a b") + call("EXEC"));

    client.expect("+OK\r\n" + CROSS_SLOT + ABORTED);
    assertThat(rejected("rename")).isZero();
  }

  @Test
  void aTransactionIsCountedOnce() {
    Peer client = rig.client();
    String otherSlot = "-CROSSSLOT Keys of a transaction don't hash to the same slot\r\n";

    client.send(call("MULTI") + get("a") + get("b") + get("b") + call("DEL a b") + call("EXEC"));

    client.expect("+OK\r\n+QUEUED\r\n" + otherSlot.repeat(2) + CROSS_SLOT + ABORTED);
    assertThat(rejected("exec")).isEqualTo(1);
  }

  @Test
  void aSortWithPatternsOfOtherSlotsIsCounted() {
    Peer client = rig.client();

    client.send(call("SORT a BY weight:*") + call("SORT a BY nosort"));

    assertThat(client.read(1)).isEqualTo("-");
    rig.accept(1).expect(call("SORT a BY nosort"));
    assertThat(rejected("sort")).isEqualTo(1);
  }

  @Test
  void watchedKeysOfSeveralSlotsAreCounted() {
    Peer client = rig.client();

    client.send(call("WATCH a b")).expect(CROSS_SLOT);

    assertThat(rejected("watch")).isEqualTo(1);
  }

  @Test
  void aCommandThatWaitsForAPauseIsCountedOnce() {
    Peer client = rig.client();
    Peer other = rig.client();
    client.send(call("CLIENT PAUSE 60000")).expect("+OK\r\n");

    other.send(call("RENAME a b"));
    client.send(call("CLIENT UNPAUSE")).expect("+OK\r\n");

    other.expect(CROSS_SLOT);
    assertThat(rejected("rename")).isEqualTo(1);
  }

  @Test
  void aCommandBehindAnUnansweredOneIsCountedOnce() {
    Peer client = rig.client();
    client.send(get("a") + call("RENAME a b"));

    rig.accept(1).expect(get("a")).send("$-1\r\n");

    client.expect("$-1\r\n" + CROSS_SLOT);
    assertThat(rejected("rename")).isEqualTo(1);
  }
}
