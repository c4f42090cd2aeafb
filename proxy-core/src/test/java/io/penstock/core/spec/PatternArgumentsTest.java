package io.penstock.core.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.Requests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code %} stands for a pattern. */
class PatternArgumentsTest {

  private static final String LONGEST = "*" + "x".repeat(Glob.MAX_LENGTH - 1);

  private static boolean accepts(String line, String pattern) {
    Command command = new Command(CommandTable.load(), Requests.call(line.replace("%", pattern)));
    CommandSpec spec = command.resolve();
    assertThat(spec).isNotNull();
    return spec.acceptsPatterns(command.frame());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "keys %",
        "psubscribe %",
        "psubscribe a % b",
        "pubsub channels %",
        "pubsub shardchannels %",
        "config get %",
        "config get a %",
        "command list filterby pattern %",
        "function list withcode libraryname %",
        "scan 0 match %",
        "scan 0 count 10 MATCH % type string",
        "scan 0 match a match %",
        "hscan key 0 match %",
        "sscan key 0 count 5 match %",
        "zscan key 0 MaTcH %"
      })
  void aPatternMayHaveTheMaximumLengthOnly(String line) {
    assertThat(accepts(line, LONGEST)).isTrue();
    assertThat(accepts(line, LONGEST + "x")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get %",
        "set match %",
        "hscan % 0",
        "hscan % 0 match a",
        "hscan match %",
        "scan %",
        "scan 0 count %",
        "subscribe %",
        "punsubscribe %",
        "publish % m",
        "pubsub numsub %",
        "command list filterby aclcat %",
        "config set dir %",
        "eval % 0"
      })
  void otherArgumentsMayBeLonger(String line) {
    assertThat(accepts(line, LONGEST + "x")).isTrue();
  }

  @Test
  void manyPatternsTogetherMayBeLonger() {
    assertThat(accepts("psubscribe % %", LONGEST)).isTrue();
  }
}
