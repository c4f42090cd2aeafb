package io.penstock.core.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import io.penstock.core.command.CommandTableTest;
import io.penstock.core.command.Requests;
import io.penstock.core.resp.RequestFrame;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FindKeysTest {

  private final CommandTable table = CommandTable.load();
  private final KeyPositions positions = new KeyPositions();

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "GET a; a",
        "SET a b; a",
        "MGET a b c; a b c",
        "MSET a 1 b 2; a b",
        "MSETNX a 1 b 2; a b",
        "BITOP NOT d s; d s",
        "BITOP AND d a b; d a b",
        "BITFIELD a GET u8 0; a",
        "COPY a b REPLACE; a b",
        "LMOVE a b LEFT RIGHT; a b",
        "LCS a b LEN; a b",
        "SMOVE a b m; a b",
        "PFMERGE d a b; d a b",
        "PFMERGE d; d",
        "SINTERSTORE d a b; d a b",
        "BLPOP a b 0; a b",
        "OBJECT ENCODING a; a",
        "MEMORY USAGE a SAMPLES 0; a",
        "XGROUP CREATE a g $; a",
        "XINFO STREAM a FULL; a",
        "SPUBLISH ch m; ch",
        "SSUBSCRIBE ch1 ch2; ch1 ch2",
        "EVAL s 2 a b x; a b",
        "EVALSHA_RO s 1 a; a",
        "FCALL f 1 a x y; a",
        "FCALL f 01 a x; a",
        "FCALL f +2x a b c; a b",
        "ZUNIONSTORE d 2 a b WEIGHTS 1 2; d a b",
        "ZDIFF 2 a b WITHSCORES; a b",
        "SINTERCARD 2 a b LIMIT 1; a b",
        "LMPOP 2 a b LEFT; a b",
        "BZMPOP 0 2 a b MIN; a b",
        "XREAD STREAMS a b 0 0; a b",
        "XREAD COUNT 1 streams a 0; a",
        "XREADGROUP GROUP g c COUNT 1 STREAMS a b > >; a b",
        "XREADGROUP GROUP STREAMS STREAMS STREAMS a >; a",
        "XREADGROUP GROUP g c CLAIM 5 NOACK BLOCK 7 STREAMS a b > >; a b",
        "XREAD FROM 1 STREAMS a 0; a",
        "SORT a; a",
        "SORT a BY w_* GET o_* GET # STORE d; a d",
        "SORT a STORE d LIMIT 0 5; a d",
        "SORT a STORE d STORE e; a e",
        "SORT a BY store GET store; a",
        "SORT a LIMIT 0 store; a",
        "SORT a STORE; a",
        "SORT_RO a BY w_* GET o_*; a",
        "GEORADIUS a 1 2 3 km; a",
        "GEORADIUS a 1 2 3 km STORE d; a d",
        "GEORADIUS a 1 2 3 km ASC storedist d COUNT 5; a d",
        "GEORADIUS a 1 2 3 km STORE d STOREDIST e; a e",
        "GEORADIUS a 1 2 3 km STORE store; a store",
        "GEORADIUSBYMEMBER a m 3 km STORE d; a d",
        "GEORADIUS_RO a 1 2 3 km; a",
        "GEOSEARCHSTORE d s FROMMEMBER m BYRADIUS 1 km; d s",
        "MIGRATE h 1 a 0 10; a",
        "MIGRATE h 1 a 0 10 COPY REPLACE AUTH keys; a",
        "MIGRATE h 1 \"\" 0 10 KEYS a b c; a b c",
        "MIGRATE h 1 \"\" 0 10 COPY AUTH2 keys keys KEYS a b; a b",
      })
  void keysAreFoundByTheKeySpecs(String call, String keys) {
    assertThat(keys(call)).containsExactly(keys.split(" ", -1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"EVAL s 0", "EVAL s 0 a b", "FCALL f 0 x", "EVALSHA s 0", "PING", "CONFIG GET a"})
  void aCallWithoutKeysHasNone(String call) {
    assertThat(keys(call)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EVAL s x a",
        "EVAL s -1 a",
        "EVAL s 3 a b",
        "EVAL s 99999999999 a b",
        "FCALL f 02 a",
        "FCALL f -1x a",
        "FCALL f 99999999999x a",
        "ZUNION 0 a",
        "ZUNION 2 a",
        "ZUNIONSTORE d 0 a",
        "ZUNIONSTORE d 3 a b",
        "ZUNIONSTORE d x a",
        "XREAD STREAMS a",
        "XREAD a b c d",
        "XREAD COUNT 1 BLOCK 0 STREAMS",
        "XREAD STREAMS a b 0",
        "XREADGROUP GROUP g",
        "MIGRATE h 1 a 0 10 KEYS a b",
      })
  void argumentsThatServersRejectAreInvalid(String call) {
    RequestFrame frame = Requests.call(call);
    CommandSpec spec = table.find(frame);
    assertThat(spec).isNotNull();

    assertThat(spec.findKeys(frame, positions)).isEqualTo(CommandSpec.INVALID);
    assertThat(positions.size()).isZero();
  }

  @Test
  void keysAreBytesAndMayBeEmpty() {
    assertThat(keys("MGET \"\" \u00ff\u0000 STORE")).containsExactly("", "\u00ff\u0000", "STORE");
  }

  @Test
  void aCommandWithOneFixedKeyHasItsIndex() {
    assertThat(table.byName("get").firstKeyIndex()).isEqualTo(1);
    assertThat(table.byName("object|encoding").firstKeyIndex()).isEqualTo(2);
    assertThat(table.byName("bitfield").firstKeyIndex()).isEqualTo(1);
    assertThat(table.byName("georadius_ro").firstKeyIndex()).isEqualTo(1);
    assertThat(table.byName("spublish").firstKeyIndex()).isEqualTo(1);
    for (String name : List.of("mget", "sort", "sort_ro", "georadius", "copy", "eval", "ping")) {
      assertThat(table.byName(name).firstKeyIndex()).as(name).isZero();
    }
  }

  @Test
  void theFixedKeyIsTheOneThatKeySpecsFind() {
    for (CommandSpec spec : CommandTableTest.allSpecs(table)) {
      if (spec.firstKeyIndex() > 0) {
        String[] arguments = spec.name().split("\\|", -1);
        List<String> call = new ArrayList<>(List.of(arguments));
        while (call.size() < Math.abs(spec.arity())) {
          call.add("argument" + call.size());
        }
        assertThat(spec.findKeys(Requests.frame(call.toArray(String[]::new)), positions)).isOne();
        assertThat(positions.get(0)).isEqualTo(spec.firstKeyIndex());
      }
    }
  }

  @Test
  void aThousandKeysAreFoundAndMemoryIsReleased() {
    String[] call = new String[5_001];
    call[0] = "DEL";
    for (int i = 1; i < call.length; i++) {
      call[i] = "key" + i;
    }

    assertThat(table.byName("del").findKeys(Requests.frame(call), positions)).isEqualTo(5_000);
    assertThat(positions.get(4_999)).isEqualTo(5_000);
    assertThat(keys("DEL a b")).containsExactly("a", "b");
  }

  private List<String> keys(String call) {
    RequestFrame frame = Requests.call(call);
    String[] arguments = Requests.words(call);
    CommandSpec spec = table.find(frame);
    assertThat(spec).isNotNull();
    int found = spec.findKeys(frame, positions);
    assertThat(found).isEqualTo(positions.size());
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < positions.size(); i++) {
      keys.add(arguments[positions.get(i)]);
    }
    return keys;
  }
}
