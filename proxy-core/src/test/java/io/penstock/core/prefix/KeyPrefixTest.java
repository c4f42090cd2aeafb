package io.penstock.core.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandRules;
import io.penstock.core.command.CommandTable;
import io.penstock.core.info.InfoSection;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Prefixing;
import io.penstock.core.wire.Frames;
import io.penstock.testkit.wire.Wire;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPrefixTest {

  private static final KeyPrefix ALONE = new KeyPrefix("p:", false, false, false);
  private static final KeyPrefix ALL = new KeyPrefix("p:", true, true, true);

  private static final CommandTable EVERYTHING_ALLOWED =
      CommandTable.load(
          CommandRules.of(
              List.of("acl", "config", "debug", "migrate", "module", "pfdebug", "save"),
              List.of()));

  private static Command command(RequestFrame frame) {
    var command = new Command(EVERYTHING_ALLOWED, frame);
    command.resolve();
    return command;
  }

  /** Returns the arguments that are sent, separated by blanks. */
  private static String sent(KeyPrefix prefix, String request) {
    Command command = command(Frames.call(request));
    assertThat(rejection(prefix, request)).isNull();
    ByteBuf rewritten = prefix.rewrite(command);
    if (rewritten == null) {
      return request;
    }
    try {
      var scanner = new RequestScanner(RespLimits.ofMaxBulkLength(1 << 20));
      assertThat(scanner.scan(rewritten, rewritten.writerIndex())).isEqualTo(ScanResult.REQUEST);
      RequestFrame frame = scanner.frame();
      assertThat(frame.end()).isEqualTo(rewritten.writerIndex());
      return Stream.iterate(0, i -> i < frame.argc(), i -> i + 1)
          .map(frame::text)
          .collect(Collectors.joining(" "));
    } finally {
      rewritten.release();
    }
  }

  private static @Nullable String rejection(KeyPrefix prefix, String request) {
    byte[] error = prefix.rejection(command(Frames.call(request)));
    return error == null ? null : Wire.text(error).strip();
  }

  @ParameterizedTest
  @CsvSource({
    "GET k, GET p:k",
    "MSET a 1 b 2, MSET p:a 1 p:b 2",
    "RENAME a b, RENAME p:a p:b",
    "COPY a b DB 1 REPLACE, COPY p:a p:b DB 1 REPLACE",
    "BITOP AND d a b, BITOP AND p:d p:a p:b",
    "ZUNIONSTORE d 2 a b WEIGHTS 1 2, ZUNIONSTORE p:d 2 p:a p:b WEIGHTS 1 2",
    "BLMPOP 0 2 a b LEFT, BLMPOP 0 2 p:a p:b LEFT",
    "BLPOP a b 0, BLPOP p:a p:b 0",
    "XREAD COUNT 1 STREAMS a b 0 0, XREAD COUNT 1 STREAMS p:a p:b 0 0",
    "XREADGROUP GROUP streams streams STREAMS a >, XREADGROUP GROUP streams streams STREAMS p:a >",
    "XGROUP CREATE s g 0, XGROUP CREATE p:s g 0",
    "OBJECT ENCODING k, OBJECT ENCODING p:k",
    "OBJECT HELP, OBJECT HELP",
    "MEMORY USAGE k SAMPLES 5, MEMORY USAGE p:k SAMPLES 5",
    "GEORADIUS k 0 0 1 m STORE a STOREDIST b, GEORADIUS p:k 0 0 1 m STORE a STOREDIST p:b",
    "PFMERGE d, PFMERGE p:d",
    "LCS a b LEN, LCS p:a p:b LEN",
    "WATCH a b, WATCH p:a p:b",
    "VADD v VALUES 1 1 e, VADD p:v VALUES 1 1 e",
    "ZRANGESTORE d s 0 1, ZRANGESTORE p:d p:s 0 1",
    "SELECT 1, SELECT 1",
    "COMMAND GETKEYS GET k, COMMAND GETKEYS GET k",
    "PUBLISH c m, PUBLISH c m",
    "SUBSCRIBE news, SUBSCRIBE news",
    "PSUBSCRIBE news.*, PSUBSCRIBE news.*",
    "PUNSUBSCRIBE *, PUNSUBSCRIBE *",
    "NOSUCH k, NOSUCH k",
    "GET, GET",
  })
  void keysGetThePrefix(String request, String sent) {
    assertThat(sent(ALONE, request)).isEqualTo(sent);
  }

  @ParameterizedTest
  @CsvSource({
    "SORT k, SORT p:k",
    "SORT k BY w_* GET # GET o_*->f, SORT p:k BY p:w_* GET # GET p:o_*->f",
    "SORT k BY nosort, SORT p:k BY nosort",
    "SORT k STORE d LIMIT 0 1, SORT p:k STORE p:d LIMIT 0 1",
    "SORT k STORE a STORE b, SORT p:k STORE p:a STORE p:b",
    "SORT k STORE by STORE victim, SORT p:k STORE p:by STORE p:victim",
    "SORT k STORE limit STORE victim, SORT p:k STORE p:limit STORE p:victim",
    "SORT k LIMIT store 1 STORE b, SORT p:k LIMIT store 1 STORE p:b",
    "SORT k GET STORE STORE v, SORT p:k GET p:STORE STORE p:v",
    "SORT_RO k GET *, SORT_RO p:k GET p:*",
    "SORT k GET, SORT p:k GET",
  })
  void sortIsReadAsAServerExecutesIt(String request, String sent) {
    assertThat(sent(ALONE, request)).isEqualTo(sent);
  }

  @ParameterizedTest
  @CsvSource({
    "KEYS *, KEYS p:*",
    "SCAN 0, SCAN 0 MATCH p:*",
    "SCAN 0 COUNT 5, SCAN 0 COUNT 5 MATCH p:*",
    "SCAN 0 match a* TYPE set, SCAN 0 match p:a* TYPE set",
    "SCAN 0 MATCH a MATCH b, SCAN 0 MATCH p:a MATCH p:b",
    "SCAN 0 TYPE MATCH MATCH x, SCAN 0 TYPE MATCH MATCH p:x",
  })
  void patternsGetThePrefix(String request, String sent) {
    assertThat(sent(ALONE, request)).isEqualTo(sent);
  }

  @Test
  void aPrefixIsNoPatternItself() {
    var special = new KeyPrefix("a*?[b]\\:", true, true, true);

    assertThat(sent(special, "KEYS x*")).isEqualTo("KEYS a\\*\\?\\[b\\]\\\\:x*");
    assertThat(sent(special, "DBSIZE")).isEqualTo("KEYS a\\*\\?\\[b\\]\\\\:*");
    assertThat(sent(special, "PSUBSCRIBE x")).isEqualTo("PSUBSCRIBE a\\*\\?\\[b\\]\\\\:x");
    assertThat(sent(special, "SUBSCRIBE x")).isEqualTo("SUBSCRIBE a*?[b]\\:x");
    assertThat(rejection(special, "SORT k BY w_*")).startsWith("-ERR BY and GET option of SORT");
    assertThat(rejection(special, "SORT k STORE d")).isNull();
  }

  @Test
  void aCharacterOfThePrefixIsAByte() {
    var prefix = new KeyPrefix("\u00c3\u00bc:", false, false, false); // UTF-8 of an u with two dots

    assertThat(sent(prefix, "GET a")).isEqualTo("GET \u00c3\u00bc:a");
  }

  @ParameterizedTest
  @CsvSource({
    "PUBLISH c m, PUBLISH p:c m",
    "SPUBLISH c m, SPUBLISH p:c m",
    "SUBSCRIBE a b, SUBSCRIBE p:a p:b",
    "SSUBSCRIBE a b, SSUBSCRIBE p:a p:b",
    "UNSUBSCRIBE, UNSUBSCRIBE",
    "PSUBSCRIBE a* *, PSUBSCRIBE p:a* p:*",
    "PUNSUBSCRIBE *, PUNSUBSCRIBE p:*",
    "PUBSUB CHANNELS, PUBSUB CHANNELS p:*",
    "PUBSUB CHANNELS a*, PUBSUB CHANNELS p:a*",
    "PUBSUB NUMSUB a b, PUBSUB NUMSUB p:a p:b",
    "PUBSUB NUMSUB, PUBSUB NUMSUB",
    "PUBSUB SHARDNUMSUB a, PUBSUB SHARDNUMSUB p:a",
    "EVAL s 2 a b c, EVAL s 2 p:a p:b c",
    "EVAL s 0 a, EVAL s 0 a",
    "DBSIZE, KEYS p:*",
    "FUNCTION LIST, FUNCTION LIST",
  })
  void whatIsAskedForGetsThePrefixToo(String request, String sent) {
    assertThat(sent(ALL, request)).isEqualTo(sent);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FLUSHALL",
        "flushdb ASYNC",
        "SWAPDB 0 1",
        "RANDOMKEY",
        "DBSIZE",
        "EVAL s 0",
        "EVALSHA x 0",
        "FCALL f 0",
        "FCALL_RO f 0",
        "SCRIPT LOAD s",
        "FUNCTION LOAD s",
        "CLIENT TRACKING ON",
        "SLOWLOG GET",
        "CLUSTER GETKEYSINSLOT 0 1",
        "CLUSTER COUNTKEYSINSLOT 0",
        "CLUSTERSCAN 0",
        "ACL SETUSER x",
        "ACL LOG",
        "MEMORY STATS",
        "CONFIG SET a b",
        "DEBUG OBJECT k",
        "MIGRATE h 1 k 0 1",
        "PFDEBUG ENCODING k",
        "MODULE LOAD x",
        "SAVE",
        "SUBSCRIBE __keyspace@0__:x",
        "SUBSCRIBE a __keyevent@0__:del",
        "PSUBSCRIBE *",
        "PSUBSCRIBE _*",
        "PSUBSCRIBE [_]_key*",
        "PSUBSCRIBE \\__key*",
        "PSUBSCRIBE ?_key*"
      })
  void whatWouldSeePastThePrefixIsRejected(String request) {
    assertThat(rejection(ALONE, request)).contains("NOPERM ").contains("key prefix");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "XREAD STREAMS a",
        "XREAD",
        "ZUNION x a",
        "LMPOP 9 a LEFT",
        "SCAN 0 MATCH",
        "SCAN 0 NEW x",
        "SINTERCARD 0 a",
        "MSETEX 5 a b"
      })
  void keysThatCannotBeFoundAreNotGuessed(String request) {
    Command command = command(Frames.call(request));
    if (command.spec() != null && command.spec().acceptsArity(command.argc())) {
      assertThat(rejection(ALONE, request)).isEqualTo("-ERR syntax error");
    } else {
      assertThat(rejection(ALONE, request)).isNull();
      assertThat(ALONE.rewrite(command)).isNull();
    }
  }

  @Test
  void allChannelsAreNotCountedIfTheyHaveThePrefix() {
    assertThat(rejection(ALL, "PUBSUB NUMPAT")).startsWith("-NOPERM ");
    assertThat(rejection(ALONE, "PUBSUB NUMPAT")).isNull();
  }

  @Test
  void infoDoesNotCountTheKeysOfOthers() {
    assertThat(sent(ALONE, "INFO")).startsWith("INFO server clients ").doesNotContain("keyspace");
    assertThat(sent(ALONE, "INFO stats KEYSPACE")).isEqualTo("INFO stats ");
    assertThat(sent(ALONE, "INFO everything")).contains("commandstats").doesNotContain("keyspace");
    assertThat(sent(ALONE, "INFO stats")).isEqualTo("INFO stats");
  }

  @Test
  void infoHasAllOtherSections() {
    for (List<String> words :
        List.of(List.<String>of(), List.of("default"), List.of("all"), List.of("everything"))) {
      Set<InfoSection> expected = EnumSet.copyOf(InfoSection.named(words));
      expected.remove(InfoSection.KEYSPACE);
      String sent = sent(ALONE, ("INFO " + String.join(" ", words)).strip());
      assertThat(InfoSection.named(List.of(sent.split(" ")))).isEqualTo(expected);
    }
  }

  @Test
  void aCommandWithKeysIsNeverSentUnchanged() {
    for (CommandSpec spec : CommandTable.load().specs()) {
      if (spec.hasKeys()) {
        assertThat(spec.prefixing()).as(spec.name()).isNotEqualTo(Prefixing.UNCHANGED);
      }
    }
  }
}
