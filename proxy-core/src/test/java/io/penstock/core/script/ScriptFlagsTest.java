package io.penstock.core.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts are those that Redis 7.0.15 lets run, or delays, during a pause of writes. */
class ScriptFlagsTest {

  private static boolean declares(String script) {
    ByteBuf bytes = Unpooled.copiedBuffer("x" + script + "y", StandardCharsets.ISO_8859_1);
    return ScriptFlags.hasNoWrites(bytes, 1, script.length());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#!lua flags=no-writes\nreturn 2",
        "#!lua flags=allow-stale,no-writes\nreturn 2",
        "#!lua flags=no-writes flags=allow-oom\nreturn 2",
        "#!lua  flags=no-writes \nreturn 2",
        "#!lua\tflags=no-writes\nreturn 2",
        "#!lua flags=no-writes\r\nreturn 2",
        "#!lua flags=no-writes\n"
      })
  void aScriptWithNoWritesDoesNotWrite(String script) {
    assertThat(declares(script)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "#",
        "return 1",
        "#!lua",
        "#!lua\nreturn 1",
        "#!lua flags=no-writes",
        "#!lua flags=allow-oom\nreturn 1",
        "#!lua flags=nowrites\nreturn 1",
        "#!LUA flags=no-writes\nreturn 1",
        "#!lua flags=no-writes,\nreturn 1",
        "#!lua flags= no-writes\nreturn 1",
        "#!lua name=x flags=no-writes\nreturn 1",
        "#!js flags=no-writes\nreturn 1",
        " #!lua flags=no-writes\nreturn 1"
      })
  void anyOtherScriptMayWrite(String script) {
    assertThat(declares(script)).isFalse();
  }
}
