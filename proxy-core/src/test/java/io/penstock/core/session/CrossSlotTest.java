package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Commands over several slots that run on copies of keys, step by step. */
class CrossSlotTest {

  private static final Pattern NAME = Pattern.compile("penstock:tmp:\\{\\w+}:\\w+:\\d+");

  private final Rig rig = new RigOptions().emulatesCrossSlot(10_000).start();

  @AfterEach
  void close() {
    rig.close();
  }

  /** Reads a block from a node and returns it with {@code NAME1}, {@code NAME2} for the copies. */
  private static String readBlock(Peer node) {
    StringBuilder all = new StringBuilder();
    while (all.indexOf("\r\nEXEC\r\n") < 0) {
      all.append(node.read(1));
    }
    return all.toString();
  }

  private static List<String> copiesIn(String block) {
    Matcher found = NAME.matcher(block);
    return found.results().map(java.util.regex.MatchResult::group).distinct().toList();
  }

  private static String restore(String name, String value) {
    return Wire.request("RESTORE", name, "60000", value, "REPLACE");
  }

  @Test
  void aCommandThatReadsRunsInOneBlockWithCopies() {
    Peer client = rig.client();
    client.send(call("SINTER a b") + get("a"));
    Peer other = rig.accept(0).expect(call("DUMP b")).send(Wire.bulk("dumped"));

    Peer target = rig.accept(1);
    String block = readBlock(target);
    String copy = copiesIn(block).getFirst();
    assertThat(block)
        .isEqualTo(
            call("MULTI")
                + restore(copy, "dumped")
                + call("SINTER a " + copy)
                + call("UNLINK " + copy)
                + call("EXEC"));
    assertThat(SlotPartitioner.INSTANCE.partitionOf(copy.getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo(Rig.SLOT_A);
    target.send("+OK\r\n" + "+QUEUED\r\n".repeat(3) + "*3\r\n+OK\r\n*1\r\n$1\r\nx\r\n:1\r\n");

    client.expect("*1\r\n$1\r\nx\r\n");
    target.expect(get("a")).send("$-1\r\n");
    client.expect("$-1\r\n");
    assertThat(other).isNotNull();
  }

  @Test
  void aMissingKeyHasNoCopy() {
    Peer client = rig.client();
    client.send(call("SUNION a b"));
    rig.accept(0).expect(call("DUMP b")).send("$-1\r\n");

    Peer target = rig.accept(1);
    String block = readBlock(target);

    String copy = copiesIn(block).getFirst();
    assertThat(block).isEqualTo(call("MULTI") + call("SUNION a " + copy) + call("EXEC"));
    target.send("+OK\r\n+QUEUED\r\n*1\r\n*0\r\n");
    client.expect("*0\r\n");
  }

  @Test
  void aCommandThatStoresRunsWhenAllCopiesAreRestored() {
    Peer client = rig.client();
    client.send(call("SUNIONSTORE a b b"));
    rig.accept(0).expect(call("DUMP b")).send(Wire.bulk("dumped"));
    Peer target = rig.accept(1);
    String restoring = readBlock(target);
    String copy = copiesIn(restoring).getFirst();
    assertThat(restoring).isEqualTo(call("MULTI") + restore(copy, "dumped") + call("EXEC"));

    target.send("+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n");

    assertThat(readBlock(target))
        .isEqualTo(
            call("MULTI")
                + call("SUNIONSTORE a " + copy + " " + copy)
                + call("UNLINK " + copy)
                + call("EXEC"));
    target.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:2\r\n:1\r\n");
    client.expect(":2\r\n");
  }

  @Test
  void nothingIsStoredIfACopyCannotBeRestored() {
    Peer client = rig.client();
    client.send(call("SUNIONSTORE a b"));
    rig.accept(0).expect(call("DUMP b")).send(Wire.bulk("dumped"));
    Peer target = rig.accept(1);
    readBlock(target);

    target.send("+OK\r\n+QUEUED\r\n*1\r\n-ERR DUMP payload version or checksum are wrong\r\n");

    client.expect(
        "-ERR the node of the other keys cannot use the value of a key:"
            + " ERR DUMP payload version or checksum are wrong\r\n");
    client.send(get("a"));
    target.expect(get("a"));
  }

  @Test
  void anErrorOfTheCommandIsItsReply() {
    Peer client = rig.client();
    client.send(call("SINTER a b"));
    rig.accept(0).expect(call("DUMP b")).send("$-1\r\n");
    Peer target = rig.accept(1);
    readBlock(target);

    target.send("+OK\r\n+QUEUED\r\n*1\r\n-WRONGTYPE no set\r\n");

    client.expect("-WRONGTYPE no set\r\n");
  }

  @Test
  void whatIsTooLargeToCollectIsRefused() {
    Peer client = rig.client();
    client.send(call("SINTER a b"));

    rig.accept(0).expect(call("DUMP b")).send(Wire.bulk("x".repeat(11_000)));

    assertThat(client.read(1)).isEqualTo("-");
  }

  @Test
  void aCommandThatCannotBeEmulatedIsRejected() {
    Peer client = rig.client();

    client.send(call("ZMPOP 2 a b MIN"));

    client.expect("-CROSSSLOT Keys in request don't hash to the same slot\r\n");
  }
}
