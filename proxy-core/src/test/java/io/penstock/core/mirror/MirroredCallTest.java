package io.penstock.core.mirror;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.Requests;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.testkit.wire.Wire;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MirroredCallTest {

  private final CommandTable table = CommandTable.load();
  private final List<ByteBuf> buffers = new ArrayList<>();

  @AfterEach
  void release() {
    buffers.forEach(ByteBuf::release);
  }

  private RequestFrame frame(String call) {
    RequestFrame frame = Requests.call(call);
    buffers.add(frame.buffer());
    return frame;
  }

  private CommandSpec spec(RequestFrame frame) {
    return requireNonNull(table.find(frame));
  }

  private MirroredCall call(String call) {
    RequestFrame frame = frame(call);
    return MirroredCall.of(spec(frame), frame, () -> true);
  }

  private ByteBuf reply(String wire) {
    ByteBuf buffer = Wire.buffer(wire.replace("|", "\r\n"));
    buffers.add(buffer);
    return buffer;
  }

  /** Returns the effect as text. {@code |} ends a line of the reply and of the answers. */
  private String effect(String call, String reply, String... answers) {
    List<Reply> parsed = new ArrayList<>();
    for (String answer : answers) {
      parsed.add(Reply.of(reply(answer)));
    }
    return shown(call(call).effect(reply(reply), parsed));
  }

  private static String shown(Effect effect) {
    return switch (effect) {
      case Effect.Nothing() -> "nothing";
      case Effect.AsIs() -> "as it is";
      case Effect.Unknown() -> "unknown";
      case Effect.InDatabases(var parts) ->
          parts.stream().map(MirroredCallTest::shown).collect(Collectors.joining(" | "));
      case Effect.Instead(var requests) ->
          requests.stream().map(CopyRequest::toString).collect(Collectors.joining("; "));
      case Effect.CopyAgain(var first, var keys) ->
          (first.isEmpty() ? "" : first.toString())
              + "copy "
              + keys.stream().map(Wire::text).collect(Collectors.joining(" "));
    };
  }

  private String questions(String call) {
    return call(call).questions().toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '=',
      textBlock =
          """
          set k v ex 9              = [PEXPIRETIME k]
          set k v pxat 9            = []
          setex k 9 v               = [PEXPIRETIME k]
          msetex 2 a 1 b 2 px 9     = [PEXPIRETIME a]
          expire k 9                = [PEXPIRETIME k]
          getex k ex 9              = [PEXPIRETIME k]
          getex k                   = []
          restore k 9 x             = [PEXPIRETIME k]
          restore k 0 x             = []
          hexpire h 9 fields 2 a b  = [HPEXPIRETIME h FIELDS 2 a b]
          hgetex h ex 9 fields 1 a  = [HPEXPIRETIME h FIELDS 1 a]
          hgetex h persist fields 1 a = []
          hsetex h ex 9 fields 2 a 1 b 2 = [HPEXPIRETIME h FIELDS 2 a b]
          hsetex h fields 1 a 1 ex 9 = [HPEXPIRETIME h FIELDS 1 a]
          xadd s *  f v             = []
          xadd s maxlen ~ 9 * f v   = [XLEN s]
          xtrim s delref minid ~ 9  = [XLEN s]
          xclaim s g c 0 1-1 2      = [XPENDING s g 1-1 1-1 1, XPENDING s g 2-0 2-0 1]
          xreadgroup group g c streams s > = []
          spop s                    = []
          """)
  void theFewQuestionsThatAReplyDoesNotAnswer(String call, String questions) {
    assertThat(questions(call.replaceAll(" +", " "))).isEqualTo(questions);
  }

  @Test
  void aDeadlineIsTheOneThatThePrimaryHas() {
    assertThat(effect("set k v nx ex 9", "+OK|", ":5000|")).isEqualTo("SET k v PXAT 5000");
    assertThat(effect("expire k 9", ":1|", ":5000|")).isEqualTo("PEXPIREAT k 5000");
    assertThat(effect("msetex 1 a 1 xx ex 9", ":1|", ":5000|")).isEqualTo("MSETEX 1 a 1 PXAT 5000");
    assertThat(effect("hsetex h fields 1 a 1 fnx ex 9", ":1|", "*1|:5000|"))
        .isEqualTo("HSETEX h PXAT 5000 fields 1 a 1");
  }

  @Test
  void whatHasExpiredMeanwhileIsDeleted() {
    assertThat(effect("set k v px 1", "+OK|", ":-2|")).isEqualTo("DEL k");
    assertThat(effect("expire k -1", ":1|", ":-2|")).isEqualTo("DEL k");
    assertThat(effect("getex k px 1", "$1|v|", ":-2|")).isEqualTo("DEL k");
    assertThat(effect("restore k 1 x", "+OK|", ":-2|")).isEqualTo("DEL k");
    assertThat(effect("hexpire h 1 fields 2 a b", "*2|:1|:2|", "*2|:5000|:-2|"))
        .isEqualTo("HPEXPIREAT h 5000 FIELDS 1 a; HDEL h b");
  }

  @Test
  void keysAreCopiedAgainIfNoAnswerCame() {
    assertThat(effect("set k v ex 9", "+OK|")).isEqualTo("copy k");
    assertThat(effect("set k v ex 9", "+OK|", "-ERR no|")).isEqualTo("copy k");
    assertThat(effect("getex k ex 9", "$1|v|", "-ERR no|")).isEqualTo("copy k");
    assertThat(effect("hexpire h 1 fields 1 a", "*1|:1|", "-ERR no|")).isEqualTo("copy h");
    assertThat(effect("xadd s maxlen ~ 9 * f v", "$3|1-1|")).isEqualTo("copy s");
    assertThat(effect("xclaim s g c 0 1-1", "*1|$3|1-1|", "-ERR no|")).isEqualTo("copy s");
  }

  @Test
  void keysAreCopiedAgainAfterAnUnknownOption() {
    assertThat(effect("set k v later 9", "+OK|")).isEqualTo("copy k");
    assertThat(effect("hgetex h later fields 1 a", "*1|$1|v|")).isEqualTo("copy h");
    assertThat(effect("xadd s later 9 * f v", "$3|1-1|")).isEqualTo("copy s");
    assertThat(effect("xtrim s maxlen ~ 9 later", ":1|", ":9|")).isEqualTo("copy s");
  }

  @Test
  void keysAreCopiedAgainAfterAReplyOfAnotherForm() {
    assertThat(effect("lmpop 1 l left", "+OK|")).isEqualTo("copy l");
    assertThat(effect("bzpopmin z 1", "+OK|")).isEqualTo("copy z");
    assertThat(effect("zmpop 1 z min", "*2|$1|z|*1|:1|")).isEqualTo("copy z");
    assertThat(effect("incrbyfloat k 1", "*0|")).isEqualTo("copy k");
    assertThat(effect("xautoclaim s g c 0 0", "*1|$1|0|")).isEqualTo("copy s");
    assertThat(effect("xreadgroup group g c streams s >", "*1|*2|$1|t|*0|")).isEqualTo("copy s");
  }

  @Test
  void aCallThatDidNothingHasNoEffect() {
    assertThat(effect("set k v nx ex 9", "$-1|", ":-2|")).isEqualTo("nothing");
    assertThat(effect("set k v ifeq a get", "$1|b|")).isEqualTo("nothing");
    assertThat(effect("set k v", "-OOM command not allowed|")).isEqualTo("nothing");
    assertThat(effect("sadd s a", ":0|")).isEqualTo("nothing");
    assertThat(effect("vsetattr v a x", "#f|")).isEqualTo("nothing");
    assertThat(effect("lpop l", "_|")).isEqualTo("nothing");
    assertThat(effect("spop s 9", "~0|")).isEqualTo("nothing");
    assertThat(effect("blpop l 1", "*-1|")).isEqualTo("nothing");
    assertThat(effect("spop s", "!5|ERR x|")).isEqualTo("nothing");
  }

  @Test
  void aScriptsKeysAreCopiedAgainWhateverItReplied() {
    assertThat(effect("eval x 2 a b", "+OK|")).isEqualTo("copy a b");
    assertThat(effect("eval x 1 a", "-ERR half done|")).isEqualTo("copy a");
    assertThat(effect("fcall f 1 a", ":1|")).isEqualTo("copy a");
    assertThat(effect("eval_ro x 1 a", "+OK|")).isEqualTo("nothing");
  }

  @Test
  void manyMembersAreDividedOverRequests() {
    String members = "$1|a|".repeat(150_000);

    var effect =
        (Effect.Instead) call("spop s 150000").effect(reply("*150000|" + members), List.of());

    assertThat(effect.requests()).hasSize(2);
    assertThat(effect.requests().get(1).arguments()).hasSize(50_002);
  }

  @Test
  void fieldsHaveNoDeadlinesWhereServersLackThem() {
    RequestFrame frame = frame("hincrbyfloat h f 0.1");

    Effect effect =
        MirroredCall.of(spec(frame), frame, () -> false).effect(reply("$3|1.1|"), List.of());

    assertThat(shown(effect)).isEqualTo("HSET h f 1.1");
  }

  @Test
  void whatCannotBeCopiedIsRefusedBeforeItRuns() {
    assertThat(refusal("migrate h 1 k 0 1"))
        .isEqualTo(
            "ERR MIGRATE is not supported by an upstream with copies: what it writes cannot be"
                + " copied");
    assertThat(refusal("eval x 0")).startsWith("ERR EVAL without keys is not supported");
    assertThat(refusal("eval x 1 k")).isNull();
    assertThat(refusal("eval_ro x 0")).isNull();
    assertThat(refusal("set k v")).isNull();
    assertThat(refusal("get k")).isNull();
  }

  private @Nullable String refusal(String call) {
    RequestFrame frame = frame(call);
    return MirroredCall.refusal(spec(frame), frame);
  }

  @Test
  void afterALostReplyTheKeysAreCopiedAgain() {
    assertThat(unknown("set k v")).isEqualTo("copy k");
    assertThat(unknown("rename a b")).isEqualTo("copy a b");
    assertThat(unknown("blpop a b 0")).isEqualTo("copy a b");
    assertThat(unknown("flushall")).isEqualTo("unknown");
    assertThat(unknown("get k")).isEqualTo("nothing");
    assertThat(unknown("getex k")).isEqualTo("nothing");
    assertThat(unknown("publish c m")).isEqualTo("nothing");
  }

  private String unknown(String call) {
    RequestFrame frame = frame(call);
    List<byte[]> keys = CopyRequest.of(frame).keys(spec(frame), frame);
    return shown(MirroredCall.of(spec(frame), frame, () -> true).unknown(keys));
  }

  @Test
  void longRepliesAreReadOnlyIfTheirContentMatters() {
    assertThat(call("lpop l 1000").needsWholeReply()).isFalse();
    assertThat(call("getex k ex 9").needsWholeReply()).isFalse();
    assertThat(call("getdel k").needsWholeReply()).isFalse();
    assertThat(call("eval x 1 k").needsWholeReply()).isFalse();
    assertThat(call("spop s 1000").needsWholeReply()).isTrue();
  }

  @Test
  void aTransactionIsOneEffect() {
    assertThat(block("*5|+OK|:5000|:1|$1|a|*0|", "set k v ex 9", "sadd s a", "spop s", "get x"))
        .isEqualTo("SET k v PXAT 5000; sadd s a; SREM s a");
    assertThat(block("*-1|", "set k v")).isEqualTo("nothing");
    assertThat(block("-EXECABORT x|", "set k v")).isEqualTo("nothing");
    assertThat(block("*1|-WRONGTYPE x|", "incr k")).isEqualTo("nothing");
    assertThat(block("*1|$1|v|", "get k")).isEqualTo("nothing");
  }

  @Test
  void aTransactionWithAScriptCopiesAllOfItsKeysAgain() {
    assertThat(blockWithoutQuestions("*3|:1|+OK|:2|", "eval x 1 a", "rename a b", "incr c"))
        .isEqualTo("copy a a b c");
    assertThat(blockWithoutQuestions("*2|:1|+OK|", "eval x 1 a", "flushall"))
        .isEqualTo("[flushall]copy a");
    assertThat(blockWithoutQuestions("*2|+OK|:1|", "set k v ex 9", "incr n")).isEqualTo("copy k n");
  }

  @Test
  void aScriptsKeysAreReadDirectlyBehindIt() {
    assertThat(block("*5|:1|$1|D|:7|+OK|:2|", "eval x 1 a", "rename a b", "incr c"))
        .isEqualTo("RESTORE a 7 D REPLACE ABSTTL; rename a b; incr c");
    assertThat(block("*3|-ERR x|*-1|:-2|", "eval x 2 a a")).isEqualTo("DEL a");
  }

  @Test
  void aTransactionWhoseReplyDoesNotFitIsUnknown() {
    assertThat(block("*1|+OK|", "set k v", "incr n")).isEqualTo("copy k n");
    assertThat(block("*1|+OK|", "set k v", "flushall")).isEqualTo("unknown");
  }

  @Test
  void aTransactionTakesItsDatabasesAlong() {
    assertThat(block("*3|+OK|+OK|:1|", "set k v", "select 1", "incr n"))
        .isEqualTo("set k v; select 1; incr n");
    assertThat(block("*2|+OK|$1|v|", "select 1", "get k")).isEqualTo("nothing");
    assertThat(block("*2|-ERR x|:1|", "select 99", "incr n")).isEqualTo("incr n");
    assertThat(block("*2|+OK|:1|", "select 1", "eval x 1 a")).isEqualTo("unknown");
    assertThat(unknownBlock("select 1", "incr n")).isEqualTo("unknown");
    assertThat(unknownBlock("select 1", "get n")).isEqualTo("nothing");
    assertThat(unknownBlock("incr n", "get n")).isEqualTo("copy n");
  }

  @Test
  void withoutQuestionsATransactionIsOneForEachDatabase() {
    assertThat(blockWithoutQuestions("*3|+OK|+OK|:1|", "set k v", "select 1", "incr n"))
        .isEqualTo("set k v | in 1: incr n");
    assertThat(blockWithoutQuestions("*4|+OK|+OK|+OK|:1|", "set k v", "select 1", "incr n"))
        .as("the first selects the client's database")
        .isEqualTo("set k v | in 1: incr n");
    assertThat(blockWithoutQuestions("*2|-ERR x|:1|", "select 99", "incr n")).isEqualTo("incr n");
    assertThat(blockWithoutQuestions("*2|+OK|$1|v|", "select 1", "get k")).isEqualTo("nothing");
    assertThat(
            blockWithoutQuestions(
                "*5|+OK|+OK|:1|+OK|+OK|",
                "set k v",
                "select 1",
                "eval x 1 a",
                "flushdb",
                "set b v"))
        .isEqualTo("copy k | in 1: flushdb | in 1: copy a b");
    var lost =
        filled(new MirroredBlock(() -> true, false), "set k v", "select 1", "incr n", "select 0");
    assertThat(shown(lost.unknown()))
        .as("each selection may have failed")
        .isEqualTo("copy k n | in 1: copy k n | in 0: copy k n");
    var keyless = filled(new MirroredBlock(() -> true, false), "select 1", "flushdb");
    assertThat(shown(keyless.unknown())).isEqualTo("unknown");
  }

  private static String shown(Effect.Part part) {
    String in = part.database() == Effect.Part.OF_CLIENT ? "" : "in " + part.database() + ": ";
    return in
        + shown(
            part.requests().isEmpty()
                ? new Effect.CopyAgain(List.of(), part.keys())
                : new Effect.Instead(part.requests()));
  }

  private String unknownBlock(String... calls) {
    return shown(filled(calls).unknown());
  }

  private String block(String reply, String... calls) {
    return shown(filled(calls).effect(Reply.of(reply(reply))));
  }

  private String blockWithoutQuestions(String reply, String... calls) {
    var block = filled(new MirroredBlock(() -> true, false), calls);
    return shown(block.effect(Reply.of(reply(reply))));
  }

  private MirroredBlock filled(String... calls) {
    return filled(new MirroredBlock(() -> true), calls);
  }

  private MirroredBlock filled(MirroredBlock block, String... calls) {
    for (String call : calls) {
      RequestFrame frame = frame(call);
      block.add(spec(frame), frame);
    }
    return block;
  }

  @Test
  void aCallThatRepeatsAlikeAllocatesNothing() {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    RequestFrame frame = frame("set k v");
    CommandSpec spec = spec(frame);
    ByteBuf reply = reply("+OK|");
    long thread = Thread.currentThread().threadId();
    run(spec, frame, reply);
    long before = threads.getThreadAllocatedBytes(thread);

    run(spec, frame, reply);

    assertThat(threads.getThreadAllocatedBytes(thread) - before).isLessThan(10_000);
  }

  private static void run(CommandSpec spec, RequestFrame frame, ByteBuf reply) {
    for (int i = 0; i < 10_000; i++) {
      assertAsIs(MirroredCall.of(spec, frame, () -> true).effect(reply, List.of()));
    }
  }

  private static void assertAsIs(Effect effect) {
    if (effect != Effect.AS_IS) {
      throw new AssertionError(effect);
    }
  }
}
