package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.cluster.Slot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.testkit.cluster.ServerProcess;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Compares the keys of calls with those of a real cluster node: with its answers to {@code COMMAND
 * GETKEYS}, and with the calls that it answers with {@code CROSSSLOT}, because it routes by other
 * rules than it reports.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeysOfCallsIT {

  /** In each, {@code ""} is an empty argument. */
  private static final String SHAPES =
      """
      EVAL s 0
      EVAL s 0 a b
      EVAL s 1 a
      EVAL s 2 a b x y
      EVAL s 2 a
      EVAL s -1 a
      EVAL s x a
      EVAL s 01 a
      EVAL s 02 a b
      EVAL s +1 a
      EVAL s 2x a b
      ZUNION 02 a b
      ZUNION x2 a b
      EVAL s "" a
      EVALSHA f 2 a b
      EVAL_RO s 1 a b
      EVALSHA_RO f 1 a
      FCALL f 2 a b c
      FCALL f 0 a
      FCALL_RO f 3 a b c
      SORT a
      SORT a STORE b
      sort a store b
      SORT a BY w_* GET o_* GET # LIMIT 0 5 DESC ALPHA STORE d
      SORT a STORE b STORE c
      SORT a STORE
      SORT a BY STORE
      SORT a BY store STORE b
      SORT a GET store GET STORE
      SORT a LIMIT 0 STORE
      SORT a LIMIT STORE b c
      SORT a LIMIT 0 1 STORE b
      SORT a ASC STORE b DESC
      SORT_RO a
      SORT_RO a BY w_* GET o_*
      SORT_RO a STORE b
      GEORADIUS a 1 2 3 km
      GEORADIUS a 1 2 3 km STORE b
      GEORADIUS a 1 2 3 km STOREDIST b
      GEORADIUS a 1 2 3 km COUNT 5 ASC STORE b
      GEORADIUS a 1 2 3 km STORE b STOREDIST c
      GEORADIUS a 1 2 3 km STOREDIST b STORE c
      GEORADIUS a 1 2 3 km STORE STORE b
      GEORADIUS a 1 2 3 km STORE
      GEORADIUS a STORE b 3 km
      GEORADIUSBYMEMBER a m 3 km STORE b
      GEORADIUSBYMEMBER a m 3 km storedist b
      GEORADIUSBYMEMBER a m 3 STORE b
      GEORADIUS_RO a 1 2 3 km STORE b
      GEORADIUSBYMEMBER_RO a m 3 km
      GEOSEARCH a FROMMEMBER m BYRADIUS 1 km
      GEOSEARCHSTORE a b FROMMEMBER m BYRADIUS 1 km STOREDIST
      XREAD STREAMS a 0
      XREAD STREAMS a b 0 0
      XREAD COUNT 5 STREAMS a b 0 0
      XREAD COUNT 5 streams a b c
      XREAD STREAMS STREAMS 0
      XREAD STREAMS a STREAMS 0 0
      XREAD COUNT STREAMS STREAMS a 0
      XREAD NOACK STREAMS a 0
      XREAD STREAMS
      XREAD x STREAMS a 0
      XREADGROUP GROUP g c STREAMS a >
      XREADGROUP GROUP g c COUNT 1 NOACK STREAMS a b > >
      XREADGROUP GROUP STREAMS STREAMS STREAMS a >
      XREADGROUP GROUP STREAMS c STREAMS a >
      XREADGROUP COUNT 1 GROUP g c STREAMS a b 0
      XREADGROUP GROUP g c x STREAMS a >
      ZUNIONSTORE d 2 a b
      ZUNIONSTORE d 2 a b WEIGHTS 1 2 AGGREGATE MAX
      ZUNIONSTORE d 3 a b
      ZUNIONSTORE d 0 a
      ZINTERSTORE d 1 a
      ZDIFFSTORE d 2 a b
      ZRANGESTORE d a 0 -1
      ZUNION 2 a b WITHSCORES
      ZUNION 0 a
      ZUNION 99999999999999999999 a
      ZINTER 2 a b WEIGHTS 1 2
      ZDIFF 2 a b
      ZINTERCARD 2 a b LIMIT 1
      SINTERCARD 2 a b LIMIT 1
      SINTERCARD 1 a b
      LMPOP 2 a b LEFT COUNT 2
      ZMPOP 2 a b MIN
      BLMPOP 0 2 a b LEFT
      BZMPOP 0 1 a MAX
      MIGRATE h 1 a 0 10
      MIGRATE h 1 "" 0 10
      MIGRATE h 1 "" 0 10 KEYS a
      MIGRATE h 1 "" 0 10 COPY REPLACE KEYS a b c
      MIGRATE h 1 "" 0 10 AUTH p KEYS a b
      MIGRATE h 1 "" 0 10 AUTH2 u p KEYS a b
      MIGRATE h 1 "" 0 10 AUTH KEYS KEYS a
      MIGRATE h 1 "" 0 10 KEYS
      MIGRATE h 1 x 0 10 KEYS a
      OBJECT ENCODING a
      OBJECT FREQ a
      MEMORY USAGE a
      MEMORY USAGE a SAMPLES 5
      XGROUP CREATE a g $ MKSTREAM
      XGROUP DELCONSUMER a g c
      XINFO STREAM a FULL COUNT 1
      XINFO GROUPS a
      BITOP AND d a b
      BITOP NOT d a
      BITFIELD a GET u8 0 SET u8 0 1
      COPY a b DB 0 REPLACE
      LMOVE a b LEFT RIGHT
      BLMOVE a b LEFT RIGHT 0
      RPOPLPUSH a b
      BRPOPLPUSH a b 0
      BLPOP a b c 0
      BZPOPMIN a b 0
      LCS a b LEN IDX
      PFCOUNT a b c
      PFMERGE a b c
      MSETNX a 1 b 2
      MSETNX a 1 b
      SMOVE a b m
      SUNIONSTORE a b c
      RENAME a b
      SPUBLISH a m
      RESTORE a 0 v
      PFDEBUG GETREG a
      """;

  /** The common words, and a number in a form that servers parse only in some places. */
  private static final List<String> WORDS = RandomCalls.wordsAnd("02");

  /** Commands that block, change the state of the connection, or affect other clients. */
  private static final List<String> LEFT_OUT =
      List.of("migrate", "ssubscribe", "sunsubscribe", "xread", "xreadgroup");

  private static final int CALLS_PER_COMMAND = 200;

  private final CommandTable table = CommandTable.load(CommandRules.of(List.of("@all"), List.of()));
  private final CommandReplies replies = new CommandReplies(table);
  private RealServer server;

  @BeforeAll
  void start() {
    server = RealServer.start(ServerProcess.builder().option("cluster-enabled", "yes"));
    assertThat(server.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")).isEqualTo("+OK\r\n");
    Awaitility.await().until(() -> server.call("CLUSTER", "INFO").contains("cluster_state:ok"));
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void theKeysOfEveryShapeAreReportedAsByTheServer() {
    for (String shape : SHAPES.lines().toList()) {
      String[] call = Requests.words("COMMAND GETKEYS " + shape);
      ByteBuf out = Unpooled.buffer();
      replies.getKeys(Requests.frame(call), Protocol.RESP2, out);
      assertThat(out.toString(StandardCharsets.ISO_8859_1)).as(shape).isEqualTo(server.call(call));
    }
  }

  @Test
  void crossSlotCallsAreThoseOfTheServer() {
    for (String shape : SHAPES.lines().toList()) {
      String[] call = Requests.words(shape);
      if (mayRun(table.find(Requests.frame(call)))) {
        assertThat(crosses(call)).as(shape).isEqualTo(isCrossSlot(server.call(call)));
      }
    }
  }

  @Test
  void randomCrossSlotCallsAreThoseOfTheServer() {
    Random random = new Random(13);
    int crossing = 0;
    for (CommandSpec spec : CommandTableTest.allSpecs(table)) {
      if (!mayRun(spec) || !spec.hasKeys() || spec.firstKeyIndex() > 0 || !isServers(spec)) {
        continue;
      }
      List<List<String>> calls =
          Stream.generate(() ->
                  RandomCalls.of(spec, random, Math.abs(spec.arity()) + random.nextInt(6), WORDS))
              .limit(CALLS_PER_COMMAND)
              .toList();
      List<String> theirs = server.call(calls);
      for (int i = 0; i < calls.size(); i++) {
        boolean ours = crosses(calls.get(i).toArray(String[]::new));
        assertThat(ours).as("%s", calls.get(i)).isEqualTo(isCrossSlot(theirs.get(i)));
        crossing += ours ? 1 : 0;
      }
    }
    assertThat(crossing).isGreaterThan(1_000);
  }

  private boolean isServers(CommandSpec spec) {
    String info = server.call("COMMAND", "INFO", spec.name());
    return !info.contains("*-1") && info.contains("\r\n:" + spec.arity() + "\r\n");
  }

  private static boolean mayRun(@Nullable CommandSpec spec) {
    return spec != null && !spec.has(CommandFlag.BLOCKING) && !LEFT_OUT.contains(spec.name());
  }

  private boolean crosses(String... call) {
    RequestFrame frame = Requests.frame(call);
    CommandSpec spec = table.find(frame);
    KeyPositions keys = new KeyPositions();
    if (spec == null || !spec.acceptsArity(frame.argc())) {
      return false;
    }
    spec.findKeys(frame, keys);
    for (int i = 1; i < keys.size(); i++) {
      if (slot(frame, keys.get(i)) != slot(frame, keys.get(0))) {
        return true;
      }
    }
    return false;
  }

  private static int slot(RequestFrame frame, int argument) {
    return Slot.of(frame.buffer(), frame.offset(argument), frame.length(argument));
  }

  private static boolean isCrossSlot(String reply) {
    return reply.startsWith("-CROSSSLOT ");
  }
}
