package io.penstock.core.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.wire.Frames;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ScriptsTest {

  private static final CommandTable TABLE = CommandTable.load();
  private static final String ONE = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"; // of "return 1"

  private final Scripts scripts = new Scripts();
  private final DigestCache digests = new DigestCache();

  private void note(String... words) {
    var command = new Command(TABLE, Frames.of(words));
    CommandSpec spec = Objects.requireNonNull(command.resolve());
    scripts.record(spec, command.frame(), digests);
  }

  @Test
  void scriptsAreFoundByRedisDigests() {
    assertThat(scripts.body(ONE)).isNull();
    note("EVAL", "return 1", "0");
    assertThat(scripts.body(ONE)).asString().isEqualTo("return 1");

    note("SCRIPT", "FLUSH", "ASYNC");
    assertThat(scripts.body(ONE)).isNull();
    note("script", "load", "return 1");
    assertThat(scripts.body(ONE)).isNotNull();
  }

  @Test
  void otherRequestsHaveNoScript() {
    note("SCRIPT", "EXISTS", "return 1");
    note("SCRIPT", "KILL");
    note("FUNCTION", "LOAD", "return 1");

    assertThat(scripts.body(ONE)).isNull();
  }

  @Test
  void evalScriptsDoNotEvictLoadedScripts() {
    note("SCRIPT", "LOAD", "return 1");
    for (int i = 0; i < 2_000; i++) {
      note("EVAL", "return " + i + " -- once", "0");
    }
    assertThat(scripts.body(ONE)).isNotNull();
  }

  @Test
  void theOldestScriptIsEvictedFirst() {
    var store = new Scripts.Store(3, 30);
    for (String script : new String[] {"a", "bb", "ccc", "a", "dddd"}) {
      store.add(Frames.of(script), 0, digests);
    }
    assertThat(store.size()).isEqualTo(3);
    assertThat(store.get("86f7e437faa5a7fce15d1ddcb9eaeaea377667b8")).as("a").isNull();

    store.add(Frames.of("e".repeat(29)), 0, digests);
    assertThat(store.size()).as("bounded by bytes too").isEqualTo(1);
    store.add(Frames.of("f".repeat(31)), 0, digests);
    assertThat(store.size()).as("one that never fits pushes nothing out").isEqualTo(1);
    store.clear();
    assertThat(store.size()).isZero();
  }
}
