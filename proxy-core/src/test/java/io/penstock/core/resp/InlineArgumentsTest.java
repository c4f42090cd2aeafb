package io.penstock.core.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.wire.Wire;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected arguments are those of redis-server 7.0.15 for the same lines. */
class InlineArgumentsTest {

  private static @Nullable List<String> split(String line) {
    List<byte[]> arguments = InlineArguments.split(Wire.bytes(line));
    return arguments == null ? null : arguments.stream().map(Wire::text).toList();
  }

  @Test
  void blanksSeparateArguments() {
    assertThat(split("SET key value")).containsExactly("SET", "key", "value");
    assertThat(split("  SET\tkey   value \t ")).containsExactly("SET", "key", "value");
  }

  @Test
  void aBlankLineHasNoArguments() {
    assertThat(split("")).isEmpty();
    assertThat(split(" \t\r\u000b\f ")).isEmpty();
  }

  @Test
  void verticalTabAndFormFeedBeginNoNewArgument() {
    assertThat(split("PING a\u000bb")).containsExactly("PING", "a\u000bb");
    assertThat(split("PING a\fb")).containsExactly("PING", "a\fb");
  }

  @Test
  void verticalTabAndFormFeedAreSkippedBeforeAnArgument() {
    assertThat(split("PING \u000b\fab")).containsExactly("PING", "ab");
    assertThat(split("PING \"a\"\u000bb")).containsExactly("PING", "a", "b");
  }

  @Test
  void quotesPreserveBlanks() {
    assertThat(split("ECHO \"a b\"")).containsExactly("ECHO", "a b");
    assertThat(split("ECHO 'a b'")).containsExactly("ECHO", "a b");
    assertThat(split("ECHO \"it's\" 'so \"to\" say'"))
        .containsExactly("ECHO", "it's", "so \"to\" say");
  }

  @Test
  void quotesMayBeEmpty() {
    assertThat(split("\"\" ''")).containsExactly("", "");
  }

  @Test
  void quotesMayBeginInsideAnArgument() {
    assertThat(split("PING a\"b c\"")).containsExactly("PING", "ab c");
    assertThat(split("a'b c' d")).containsExactly("ab c", "d");
  }

  @Test
  void doubleQuotesSupportEscapes() {
    assertThat(split("\"\\n\\r\\t\\b\\a\"")).containsExactly("\n\r\t\b\u0007");
    assertThat(split("\"\\x41\\x4g\\n\\q\\\\\\\"\"")).containsExactly("Ax4g\nq\\\"");
    assertThat(split("\"\\xff\\xFF\\x0\"")).containsExactly("\u00ff\u00ffx0");
    assertThat(split("\"\\x\"")).containsExactly("x");
  }

  @Test
  void singleQuotesSupportOnlyAnEscapedQuote() {
    assertThat(split("'it\\'s \\n \\x41'")).containsExactly("it's \\n \\x41");
  }

  @Test
  void outsideQuotesABackslashIsLiteral() {
    assertThat(split("a\\x41 \\n")).containsExactly("a\\x41", "\\n");
  }

  @Test
  void bytesAboveAsciiAreLiteral() {
    assertThat(split("\u00e9 \"\u00ff\"")).containsExactly("\u00e9", "\u00ff");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"", "'", "\"a", "'a", "\"a\\", "\"a\\\"", "'a\\'", "\"a\"b", "'a'b", "\"a\"'b'"})
  void quotesMustBalanceAndEndTheirArgument(String line) {
    assertThat(split(line)).isNull();
  }
}
