package io.penstock.core.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.Merge;
import io.penstock.core.upstream.Partitioner;
import io.penstock.core.upstream.SinglePartitioner;
import io.penstock.core.wire.Frames;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots as of {@code CLUSTER KEYSLOT}: a 15495, b 3300, c 7365, foo 12182. */
class RouterTest {

  private static final int A = 15_495;
  private static final int B = 3_300;
  private static final int C = 7_365;

  private final Router cluster = new Router(SlotPartitioner.INSTANCE);
  private final Router single = new Router(SinglePartitioner.INSTANCE);

  private static RoutePlan plan(Router router, String line) {
    return router.route(new Command(CommandTable.load(), Frames.call(line)));
  }

  private static RoutePlan slot(int slot) {
    return new RoutePlan.Single(slot);
  }

  private static RoutePlan reject(String error) {
    return new RoutePlan.Reject(error);
  }

  @ParameterizedTest
  @CsvSource({
    "GET a, 15495",
    "get b, 3300",
    "SET foo bar, 12182",
    "OBJECT ENCODING a, 15495",
    "GET {a}x, 15495",
    "GET x{a}y{b}, 15495",
    "ZADD c 1 m, 7365",
    "XADD b * f v, 3300",
    "EVALSHA s 1 a, 15495",
    "FCALL f 1 a, 15495",
    "SORT a BY nosort, 15495",
    "XREAD COUNT 1 STREAMS b 0, 3300"
  })
  void commandsGoToTheSlotOfTheirKeys(String line, int slot) {
    assertThat(plan(cluster, line)).isEqualTo(slot(slot));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SINTER a b",
        "EVAL_RO s 2 a b",
        "SORT a STORE b",
        "SORT a BY w*",
        "SORT a STORE {a}by GET {b}*",
        "SORT a STORE {a}d BY {a*",
        "SORT_RO a GET # GET x*->f",
        "SORT a BY nosort GET w"
      })
  void commandsOverSeveralSlotsAreCarriedOutInStepsIfThatIsWanted(String line) {
    assertThat(plan(cluster.with(CrossSlot.EMULATE, true), line)).isEqualTo(new RoutePlan.Across());
  }

  @ParameterizedTest
  @ValueSource(strings = {"SORT a BY {a}w* GET #", "SORT a GET x{a}*->f", "SORT a BY w GET {a}"})
  void patternsThatStayInTheSlotNeedNoSteps(String line) {
    assertThat(plan(cluster.with(CrossSlot.EMULATE, true), line)).isEqualTo(slot(A));
  }

  @ParameterizedTest
  @ValueSource(strings = {"KEYS %", "SCAN 0 MATCH %", "HSCAN a 0 MATCH %", "PSUBSCRIBE b %"})
  void patternsThatAreTooLongAreRejected(String line) {
    RoutePlan expected = reject("ERR pattern is too long: more than 4096 bytes");
    String call = line.replace("%", "*".repeat(4_097));
    assertThat(plan(cluster, call)).isEqualTo(expected);
    assertThat(plan(single, call)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MGET {a}1 {a}2",
        "FCALL f 2 {a}1 {a}2",
        "SORT a BY nosort STORE {a}d",
        "SUNIONSTORE {a}d {a}1 {a}2",
        "MSET a 1 {a}b"
      })
  void multiKeyCommandsHaveAPlanOfTheirOwn(String line) {
    assertThat(plan(cluster, line)).isEqualTo(new RoutePlan.MultiKey(A));
    assertThat(plan(cluster, line)).isSameAs(plan(cluster, "MGET a {a}x"));
  }

  @ParameterizedTest
  @CsvSource({
    "EVAL s 1 a, 15495, false",
    "eval_ro s 2 {a}1 {a}2, 15495, true",
    "EVAL s 0, 0, false",
    "EVAL s x a, 0, false"
  })
  void scriptsGoToTheSlotOfTheirKeys(String line, int slot, boolean several) {
    assertThat(plan(cluster, line)).isEqualTo(new RoutePlan.Script(slot, several));
    assertThat(plan(single, line)).isEqualTo(slot(0));
  }

  @Test
  void scanHasAPlanOfItsOwn() {
    assertThat(plan(cluster, "SCAN 0 COUNT 5")).isEqualTo(new RoutePlan.Scan());
    assertThat(plan(single, "SCAN 0 COUNT 5")).isEqualTo(slot(0));
  }

  @Test
  void aPlanForOneSlotIsTheSameObjectEachTime() {
    assertThat(plan(cluster, "GET a")).isSameAs(plan(cluster, "SET {a}1 x"));
    assertThat(plan(single, "GET a")).isSameAs(plan(single, "MGET a b c"));
  }

  @Test
  void messagesGoToTheSlotOfTheirChannel() {
    assertThat(plan(cluster, "PUBLISH {a}x hi")).isEqualTo(new RoutePlan.Publish(15_495, false));
    assertThat(plan(cluster, "SPUBLISH a hi")).isEqualTo(new RoutePlan.Publish(15_495, true));
    assertThat(plan(single, "PUBLISH a hi")).isEqualTo(new RoutePlan.Publish(0, false));
  }

  @Test
  void commandsWithoutKeysMayGoToAnyNode() {
    assertThat(plan(cluster, "TIME")).isEqualTo(new RoutePlan.AnyNode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"FCALL f 0", "FCALL f x a", "EVALSHA s 3 a", "ZUNIONSTORE d 0 a"})
  void callsWithUnknownKeysGoToOneNode(String line) {
    assertThat(plan(cluster, line)).isInstanceOf(RoutePlan.Single.class);
  }

  @Test
  void aSplitCommandWithAnExtraArgumentIsRejected() {
    assertThat(plan(cluster, "MSET a 1 b"))
        .isEqualTo(new RoutePlan.Reject("ERR wrong number of arguments for 'mset' command"));
    assertThat(plan(cluster, "MSET a 1 {a}b"))
        .isInstanceOf(RoutePlan.OnePartition.class); // the node reports the error
  }

  @Test
  void keysOfSeveralSlotsAreGroupedBySlotInTheOrderOfTheirFirstKeys() {
    RoutePlan plan = plan(cluster, "MGET a b {a}x c b");

    assertThat(plan).isInstanceOf(RoutePlan.ReusedSplit.class);
    RoutePlan.ReusedSplit split = (RoutePlan.ReusedSplit) plan;
    assertThat(split.merge()).isEqualTo(Merge.ARRAY_BY_KEY);
    assertThat(split.firstKey()).isEqualTo(1);
    assertThat(split.keyStep()).isEqualTo(1);
    assertThat(groups(split)).containsExactly(0, 1, 0, 2, 1);
    assertThat(slots(split)).containsExactly(A, B, C);
    assertThat(split.keysOfGroup(0)).isEqualTo(2);
    assertThat(split.keysOfGroup(1)).isEqualTo(2);
    assertThat(split.keysOfGroup(2)).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "DEL a b, SUM, 1",
    "UNLINK a b, SUM, 1",
    "EXISTS a b, SUM, 1",
    "TOUCH a b, SUM, 1",
    "MGET a b, ARRAY_BY_KEY, 1",
    "MSET a 1 b 2, ALL_OK, 2",
    "MSETEX 2 a 1 b 2 EX 10, ALL_SUCCEEDED, 2"
  })
  void commandsWhosePartsAreIndependentAreSplit(String line, Merge merge, int step) {
    RoutePlan.ReusedSplit split = (RoutePlan.ReusedSplit) plan(cluster, line);

    assertThat(split.merge()).isEqualTo(merge);
    assertThat(split.keyStep()).isEqualTo(step);
    assertThat(slots(split)).containsExactly(A, B);
  }

  @Test
  void aConditionForSeveralKeysIsNotSplit() {
    RoutePlan crossSlot = reject("CROSSSLOT Keys in request don't hash to the same slot");
    assertThat(plan(cluster, "MSETEX 2 a 1 b 2 NX")).isEqualTo(crossSlot);
    assertThat(plan(cluster, "MSETEX 2 a 1 b 2 EX 10 XX")).isEqualTo(crossSlot);
    assertThat(plan(cluster, "MSETEX 2 {a}1 1 {a}2 2 NX")).isEqualTo(new RoutePlan.MultiKey(A));
    assertThat(plan(cluster, "MSETEX x a 1 b 2")).isInstanceOf(RoutePlan.Single.class);
    assertThat(plan(single, "MSETEX 2 a 1 b 2 NX")).isEqualTo(slot(0));
  }

  @Test
  void keysOfOneSlotAreNotSplit() {
    assertThat(plan(cluster, "MSETEX 2 {a}1 1 {a}2 2 EX 9")).isEqualTo(new RoutePlan.MultiKey(A));
    assertThat(plan(cluster, "MSETEX 1 a 1 EX 9")).isEqualTo(slot(A));
    assertThat(plan(cluster, "MGET a {a}1 {a}2")).isEqualTo(new RoutePlan.MultiKey(A));
    assertThat(plan(cluster, "DEL b")).isEqualTo(slot(B));
    assertThat(plan(cluster, "MSET {c}1 x {c}2 y")).isEqualTo(new RoutePlan.MultiKey(C));
  }

  @Test
  void aSplitDoesNotAffectTheNextOne() {
    String many = "DEL" + " k%d".repeat(500).formatted(numbers(500));
    RoutePlan.ReusedSplit first = (RoutePlan.ReusedSplit) plan(cluster, many);
    int groups = first.groups();

    RoutePlan.ReusedSplit second = (RoutePlan.ReusedSplit) plan(cluster, "MGET b a b");
    assertThat(groups(second)).containsExactly(0, 1, 0);
    assertThat(slots(second)).containsExactly(B, A);
    assertThat(((RoutePlan.ReusedSplit) plan(cluster, many)).groups()).isEqualTo(groups);
  }

  private static Object[] numbers(int count) {
    Object[] numbers = new Object[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MSETNX a 1 b 2",
        "RENAME a b",
        "SINTERSTORE a b c",
        "SUNION a b",
        "EVAL s 2 a b",
        "BITOP AND a b c",
        "LMOVE a b LEFT RIGHT",
        "ZUNIONSTORE a 2 b c"
      })
  void commandsThatCannotBeSplitMustNotCrossSlots(String line) {
    assertThat(plan(cluster, line))
        .isEqualTo(reject("CROSSSLOT Keys in request don't hash to the same slot"));
  }

  @Test
  void commandsOverSlotsAreReportedOrCarriedOutIfTheyCanBe() {
    var reporting = cluster.with(CrossSlot.REPORT, false);
    var emulating = cluster.with(CrossSlot.EMULATE, false);
    String error = "CROSSSLOT Keys in request don't hash to the same slot";

    assertThat(plan(reporting, "RENAME a b")).isEqualTo(new RoutePlan.Reject(error, true));
    assertThat(plan(emulating, "RENAME a b")).isEqualTo(new RoutePlan.Across());
    for (Router router : List.of(reporting, emulating)) {
      assertThat(plan(router, "RENAME {a}1 {a}2")).isEqualTo(new RoutePlan.MultiKey(A));
      assertThat(plan(router, "EVAL x 2 a b"))
          .isInstanceOfSatisfying(
              RoutePlan.Reject.class, rejected -> assertThat(rejected.reported()).isFalse());
    }
  }

  @Test
  void oneNodeHasNoCommandsOverSlots() {
    for (CrossSlot mode : CrossSlot.values()) {
      assertThat(plan(single.with(mode, true), "RENAME a b")).isEqualTo(slot(0));
    }
  }

  @Test
  void aSingleServerTakesKeysOfAllSlots() {
    for (String line : List.of("GET a", "MGET a b c", "MSETNX a 1 b 2", "RENAME a b", "DEL a b")) {
      assertThat(plan(single, line)).isEqualTo(slot(0));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DBSIZE, SUM, false",
    "KEYS *, CONCAT, false",
    "FLUSHALL ASYNC, ALL_OK, false",
    "RANDOMKEY, RANDOM, false",
    "SCRIPT LOAD x, ALL_SUCCEEDED, false",
    "SCRIPT EXISTS x, MIN_BY_ELEMENT, false",
    "SCRIPT KILL, ONE_SUCCEEDED, true",
    "FUNCTION STATS, RUNNING, true"
  })
  void commandsForAllKeysGoToEveryShard(String line, Merge merge, boolean aside) {
    RoutePlan.Broadcast everywhere = new RoutePlan.Broadcast(merge, aside);

    assertThat(plan(cluster, line)).isEqualTo(everywhere).isSameAs(plan(cluster, line));
    assertThat(plan(single, line)).isEqualTo(aside ? everywhere : slot(0));
  }

  @ParameterizedTest
  @CsvSource({
    "PUBSUB NUMSUB a, SUBSCRIBERS",
    "PUBSUB SHARDNUMSUB a, SHARD_SUBSCRIBERS",
    "PUBSUB NUMPAT, PATTERNS"
  })
  void countsOfASingleServerAreCorrected(String line, Merge merge) {
    assertThat(plan(cluster, line)).isEqualTo(new RoutePlan.Broadcast(merge, false));
    assertThat(plan(single, line)).isEqualTo(new RoutePlan.Broadcast(merge, false));
  }

  @Test
  void bothRoutersAnswerLocalCommandsLocally() {
    for (Router router : List.of(cluster, single)) {
      assertThat(plan(router, "PING"))
          .isInstanceOfSatisfying(
              RoutePlan.Local.class,
              local -> {
                assertThat(local.command()).isEqualTo(LocalCommand.PING);
                assertThat(local.spec().name()).isEqualTo("ping");
              });
      assertThat(plan(router, "client setname me"))
          .isInstanceOfSatisfying(
              RoutePlan.Local.class,
              local -> assertThat(local.command()).isEqualTo(LocalCommand.CLIENT_SETNAME));
    }
  }

  @Test
  void bothRoutersRejectUnknownCommandsAsRedisDoes() {
    for (Router router : List.of(cluster, single)) {
      assertThat(plan(router, "FOO a b"))
          .isEqualTo(reject("ERR unknown command 'FOO', with args beginning with: 'a' 'b' "));
      assertThat(plan(router, "CLIENT FOO"))
          .isEqualTo(reject("ERR unknown subcommand 'FOO'. Try CLIENT HELP."));
      assertThat(plan(router, "GET"))
          .isEqualTo(reject("ERR wrong number of arguments for 'get' command"));
      assertThat(plan(router, "MGET"))
          .isEqualTo(reject("ERR wrong number of arguments for 'mget' command"));
      assertThat(plan(router, "CLIENT GETNAME x"))
          .isEqualTo(reject("ERR wrong number of arguments for 'client|getname' command"));
    }
  }

  @Test
  void argumentsOfLocalCommandsAreLimited() {
    RoutePlan tooMany =
        reject("OVERLOADED too many arguments for a command that this proxy answers itself");
    for (String own : List.of("COMMAND INFO", "CLIENT KILL", "HELLO 3")) {
      assertThat(plan(cluster, own + " x".repeat(262_143))).isEqualTo(tooMany);
      assertThat(plan(cluster, own + " x".repeat(262_142))).isInstanceOf(RoutePlan.Local.class);
    }
    assertThat(plan(cluster, "CONFIG GET" + " x".repeat(16_383))).isEqualTo(tooMany);
    assertThat(plan(cluster, "CONFIG GET" + " x".repeat(16_382)))
        .isInstanceOf(RoutePlan.Local.class);
    assertThat(plan(cluster, "SUBSCRIBE" + " x".repeat(300_000)))
        .isInstanceOf(RoutePlan.Local.class); // names to subscribe to have another limit
  }

  @Test
  void argumentsOfBlockingCommandsAreLimited() {
    assertThat(plan(cluster, "BLPOP" + " x".repeat(262_142) + " 0"))
        .isInstanceOf(RoutePlan.Blocking.class);
    assertThat(plan(cluster, "BLPOP" + " x".repeat(262_143) + " 0"))
        .isEqualTo(reject("OVERLOADED too many arguments for a command that blocks"));
  }

  private static List<Integer> groups(RoutePlan.ReusedSplit split) {
    List<Integer> groups = new ArrayList<>();
    for (int key = 0; key < split.keys(); key++) {
      groups.add(split.groupOfKey(key));
    }
    return groups;
  }

  private static List<Integer> slots(RoutePlan.ReusedSplit split) {
    List<Integer> slots = new ArrayList<>();
    for (int group = 0; group < split.groups(); group++) {
      slots.add(split.partitionOfGroup(group));
    }
    return slots;
  }

  @Test
  void blockingCommandsGoToTheirKeysWithTheirTimeout() {
    assertThat(plan(cluster, "BLPOP {a}1 {a}2 0"))
        .isEqualTo(new RoutePlan.Blocking(15_495, 3, false));
    assertThat(plan(cluster, "BLPOP a b 0"))
        .isEqualTo(reject("CROSSSLOT Keys in request don't hash to the same slot"));
    assertThat(plan(cluster, "XREAD BLOCK 10 STREAMS a 0"))
        .isEqualTo(new RoutePlan.Blocking(15_495, 2, true));
    assertThat(plan(cluster, "XREAD STREAMS a 0")).isEqualTo(new RoutePlan.Single(15_495));
    assertThat(plan(single, "BLPOP a b 0")).isEqualTo(new RoutePlan.Blocking(0, 3, false));
  }

  /** Assigns keys to partitions by their first byte. */
  private record ByFirstByte(int partitions) implements Partitioner {

    @Override
    public int partitionOf(ByteBuf buffer, int offset, int length) {
      return buffer.getByte(offset) % partitions;
    }

    @Override
    public boolean mayLeave(int partition, ByteBuf buffer, int offset, int length) {
      return length == 0 || partitionOf(buffer, offset, length) != partition;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SORT a",
        "SORT a BY nosort GET #",
        "SORT a BY d* GET # GET ax*->f LIMIT 0 1 STORE d",
        "SORT_RO a GET d*",
        "SORT a BY",
        "SORT a LIMIT BY b*"
      })
  void patternsMayNameKeysOfThePartition(String line) {
    assertThat(plan(new Router(new ByFirstByte(3)), line))
        .isInstanceOfSatisfying(
            RoutePlan.OnePartition.class, one -> assertThat(one.partition()).isEqualTo(1));
  }

  @ParameterizedTest
  @CsvSource({
    "SORT a BY b*, BY",
    "SORT a by * GET a*, BY",
    "SORT a BY d* GET # GET b*->f, GET",
    "SORT_RO a BY nosort GET *, GET"
  })
  void patternsMustNotNameKeysOfOtherPartitions(String line, String option) {
    assertThat(plan(new Router(new ByFirstByte(3)), line))
        .isEqualTo(
            reject(
                "ERR "
                    + option
                    + " option of SORT denied in cluster mode when keys formed by the pattern may"
                    + " be in different slots."));
    assertThat(plan(cluster, line)).as("for its nodes to decide").isEqualTo(slot(A));
    assertThat(plan(single, line)).isEqualTo(slot(0));
  }

  @Test
  void keysAreRoutedByTheUpstreamsPartitions() {
    var router = new Router(new ByFirstByte(3)); // a 1, b 2, c 0, d 1
    assertThat(plan(router, "GET a")).isEqualTo(new RoutePlan.Single(1));
    assertThat(plan(router, "MGET a d")).isEqualTo(new RoutePlan.MultiKey(1));
    assertThat(plan(router, "RENAME a b")).isInstanceOf(RoutePlan.Reject.class);
    assertThat(plan(router, "DEL a b c d"))
        .isInstanceOfSatisfying(
            RoutePlan.ReusedSplit.class,
            split -> {
              assertThat(split.groups()).isEqualTo(3);
              assertThat(split.partitionOfGroup(1)).isEqualTo(2);
              assertThat(split.keysOfGroup(0)).isEqualTo(2);
            });
  }

  @Test
  void moreKeysThanPartitionsAreSplit() {
    var router = new Router(new ByFirstByte(2));
    assertThat(plan(router, "DEL" + " a b c d".repeat(20)))
        .isInstanceOfSatisfying(
            RoutePlan.ReusedSplit.class,
            split -> {
              assertThat(split.groups()).isEqualTo(2);
              assertThat(split.keysOfGroup(0)).isEqualTo(40);
            });
  }

  @Test
  void scanIsRejectedIfItsCursorHasNoRoomForPartitions() {
    assertThat(plan(new Router(new ByFirstByte(1 << 20)), "SCAN 0"))
        .isEqualTo(new RoutePlan.Scan());
    assertThat(plan(new Router(new ByFirstByte((1 << 20) + 1)), "SCAN 0"))
        .isEqualTo(
            new RoutePlan.Reject(
                "ERR SCAN over more than 1048576 partitions is not supported by this proxy; scan the"
                    + " nodes one by one"));
  }
}
