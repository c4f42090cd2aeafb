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

  private static String guard(String name) {
    return call("HSET " + name + " - -");
  }

  @Test
  void aCommandThatStoresFailsUnlessItsCopiesAreRestored() {
    Peer client = rig.client();
    client.send(call("SUNIONSTORE a b b"));
    rig.accept(0).expect(call("DUMP b")).send(Wire.bulk("dumped"));
    Peer target = rig.accept(1);
    String block = readBlock(target);
    String copy = copiesIn(block).getFirst();
    assertThat(block)
        .isEqualTo(
            call("MULTI")
                + guard(copy)
                + restore(copy, "dumped")
                + call("SUNIONSTORE a " + copy + " " + copy)
                + call("UNLINK " + copy)
                + call("EXEC"));

    target.send("+OK\r\n" + "+QUEUED\r\n".repeat(4) + "*4\r\n:1\r\n+OK\r\n:2\r\n:1\r\n");

    client.expect(":2\r\n");
  }

  @Test
  void aCopyThatCannotBeRestoredIsReported() {
    Peer client = rig.client();
    client.send(call("SUNIONSTORE a b"));
    rig.accept(0).expect(call("DUMP b")).send(Wire.bulk("dumped"));
    Peer target = rig.accept(1);
    readBlock(target);

    target.send("+OK\r\n" + "+QUEUED\r\n".repeat(4) + "*4\r\n:1\r\n");
    target.send("-ERR DUMP payload version or checksum are wrong\r\n-WRONGTYPE hash\r\n:1\r\n");

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

    client.expect(
        "-OVERLOADED the command collects values of more than 10000 bytes from several slots"
            + " (cross-slot-max-bytes); it did not run\r\n");
  }

  @Test
  void aReplyThatIsTooLargeToCollectIsRefused() {
    Peer client = rig.client();
    client.send(call("SUNION a b"));
    rig.accept(0).expect(call("DUMP b")).send("$-1\r\n");
    Peer target = rig.accept(1);
    readBlock(target);

    target.send("+OK\r\n+QUEUED\r\n*1\r\n*1\r\n" + Wire.bulk("x".repeat(11_000)));

    client.expect("-OVERLOADED the reply has more than 10000 bytes (cross-slot-max-bytes)\r\n");
  }

  @Test
  void aLargeDumpIsSentInOnePieceWithTheBlock() {
    Peer client = rig.client();
    client.send(call("SINTER a b"));
    String large = "x".repeat(9_000);
    rig.accept(0).expect(call("DUMP b")).send(Wire.bulk(large));

    String block = readBlock(rig.accept(1));

    String copy = copiesIn(block).getFirst();
    assertThat(block)
        .isEqualTo(
            call("MULTI")
                + restore(copy, large)
                + call("SINTER a " + copy)
                + call("UNLINK " + copy)
                + call("EXEC"));
  }

  @Test
  void tooManyKeysAreRefused() {
    Peer client = rig.client();

    client.send(call("SINTER " + "a b ".repeat(513).strip()));

    client.expect(
        "-OVERLOADED the command has more than 1024 keys in several slots (cross-slot-max-keys);"
            + " it did not run\r\n");
  }

  @Test
  void aReadIsRepeatedAfterALostConnection() {
    Peer client = rig.client();
    client.send(call("SINTER a b"));
    rig.accept(0).expect(call("DUMP b")).send("$-1\r\n");
    Peer target = rig.accept(1);
    String block = readBlock(target);
    target.close();

    Peer again = rig.accept(1);
    assertThat(readBlock(again)).isEqualTo(block);
    again.send("+OK\r\n+QUEUED\r\n*1\r\n*0\r\n");
    client.expect("*0\r\n");
  }

  @Test
  void aStoreIsSentOnce() {
    Peer client = rig.client();
    client.send(call("SUNIONSTORE a b"));
    rig.accept(0).expect(call("DUMP b")).send("$-1\r\n");
    Peer target = rig.accept(1);
    readBlock(target);
    target.close();

    client.expect("-CONNLOST the connection to the node was lost; the command may have run\r\n");
  }

  @Test
  void aRedirectedBlockIsSentBehindAsking() {
    Peer client = rig.client();
    client.send(call("SUNIONSTORE a b"));
    Peer other = rig.accept(0).expect(call("DUMP b")).send("$-1\r\n");
    Peer target = rig.accept(1);
    String block = readBlock(target);

    target.send("+OK\r\n-ASK " + Rig.SLOT_A + " " + rig.address(0) + "\r\n");
    target.send("-EXECABORT Transaction discarded because of previous errors.\r\n");

    other.expect(call("ASKING") + block);
    other.send("+OK\r\n+OK\r\n+QUEUED\r\n*1\r\n:0\r\n");
    client.expect(":0\r\n");
  }

  @Test
  void aScriptOverSeveralSlotsIsRejectedWithARemedy() {
    Peer client = rig.client();

    client.send(Wire.request("EVAL", "return 1", "2", "a", "b"));

    client.expect(
        "-CROSSSLOT Keys in request don't hash to the same slot. Give all keys of a script one hash"
            + " tag, or the application a key prefix with one\r\n");
    client.send(Wire.request("EVAL_RO", "return 1", "2", "a", "b"));
    client.expect(
        "-CROSSSLOT Keys in request don't hash to the same slot. Give all keys of a script one hash"
            + " tag, or the application a key prefix with one; a script that only reads may run on"
            + " copies of its keys with cross-slot-scripts\r\n");
  }

  @Test
  void aKnownScriptIsLoadedBeforeItRunsOnCopies() {
    try (Rig scripts = new RigOptions().emulatesCrossSlotScripts().start()) {
      Peer client = scripts.client();
      client.send(Wire.request("EVAL_RO", "return 1", "1", "b"));
      Peer other = scripts.accept(0);
      other.expect(Wire.request("EVAL_RO", "return 1", "1", "b")).send(":1\r\n");
      client.expect(":1\r\n");
      String digest = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";

      client.send(call("EVALSHA_RO " + digest + " 2 a b"));

      other.expect(call("DUMP b")).send(Wire.bulk("dumped"));
      Peer target = scripts.accept(1);
      target.expect(Wire.request("SCRIPT", "LOAD", "return 1")).send(Wire.bulk(digest));
      String block = readBlock(target);
      String copy = copiesIn(block).getFirst();
      assertThat(block)
          .isEqualTo(
              call("MULTI")
                  + restore(copy, "dumped")
                  + call("EVALSHA_RO " + digest + " 2 a " + copy)
                  + call("UNLINK " + copy)
                  + call("EXEC"));
      target.send("+OK\r\n" + "+QUEUED\r\n".repeat(3) + "*3\r\n+OK\r\n:1\r\n:1\r\n");
      client.expect(":1\r\n");
    }
  }

  @Test
  void sortReadsWhatItsPatternsNameAndRunsOnCopies() {
    Peer client = rig.client();
    client.send(call("SORT b BY b* GET a*->f GET # GET c"));
    Peer node = rig.accept(0);
    node.expect(call("MULTI") + call("DUMP b") + call("SORT_RO b BY nosort") + call("EXEC"));
    node.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n" + Wire.bulk("dumped"));
    node.send("*2\r\n" + Wire.bulk("x").repeat(2));
    node.expect(call("GET bx") + call("HGET ax f")).send(Wire.bulk("1") + Wire.bulk("2"));

    String block = readBlock(node);

    List<String> names = copiesIn(block);
    String key = names.get(0) + ":";
    String by = names.get(1) + ":";
    String get = names.get(2) + ":";
    String constant = names.get(3) + ":";
    assertThat(block)
        .isEqualTo(
            call("MULTI")
                + guard(key)
                + restore(key, "dumped")
                + call("SET " + by + "x 1 PX 60000")
                + call("HSET " + get + "x f 2")
                + call("PEXPIRE " + get + "x 60000")
                + call("SORT " + key + " BY " + by + "* GET " + get + "*->f GET # GET " + constant)
                + call("UNLINK " + key + " " + by + "x " + get + "x")
                + call("EXEC"));
    node.send("+OK\r\n" + "+QUEUED\r\n".repeat(7) + "*7\r\n:1\r\n+OK\r\n+OK\r\n:1\r\n:1\r\n");
    node.send("*1\r\n" + Wire.bulk("2") + ":3\r\n");
    client.expect("*1\r\n" + Wire.bulk("2"));
  }

  @Test
  void sortIsForwardedIfItsPatternsStayInTheSlot() {
    Peer client = rig.client();
    client.send(call("SORT {b}l BY {b}w* GET #"));

    rig.accept(0).expect(call("SORT {b}l BY {b}w* GET #")).send("*0\r\n");

    client.expect("*0\r\n");
  }

  @Test
  void aNodeThatAcceptsNoPatternsIsNamedInTheError() {
    Peer client = rig.client();
    client.send(call("SORT b BY w*"));
    Peer node = rig.accept(0);
    readBlock(node);
    node.send("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n$-1\r\n*0\r\n");
    readBlock(node);

    node.send("+OK\r\n+QUEUED\r\n*1\r\n-ERR BY option of SORT denied in Cluster mode.\r\n");

    client.expect(
        "-ERR SORT with BY or GET over several slots needs nodes that accept patterns with a hash"
            + " tag: Redis 8.0, Valkey 8.0 or later\r\n");
  }
}
