package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.Glob;
import io.penstock.core.wire.Splits;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyspaceChannelsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "**",
        "_*",
        "__key*",
        "__keyspace@0__:*",
        "__keyspace@*__:foo",
        "__keyspace@12__:foo",
        "__keyevent@0__:set",
        "__key*__:*",
        "?_keyspace@0__:a",
        "[_]_keyspace@0__:a",
        "[^a]*",
        "\\__keyevent@0__:*",
        "__key\\space@?__:x",
        "*del",
        "*:*",
        "*a*",
        "????????????????*",
        "__key[a-z][a-z][a-z][a-z][a-z]@[0-9]__:*",
        "__keyspace@0__[:"
      })
  void patternsThatMatchSomeNotificationAreTold(String pattern) {
    assertThat(KeyspaceChannels.someMatch(pattern)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "news.*",
        "[^_]*",
        "[a-z]*",
        "\\*",
        "__keys@*",
        "__keyspace@x*",
        "__keyspace",
        "__keyspace@0",
        "__keyspace@__:*",
        "__KEYSPACE@0__:*",
        "?????",
        "a*__keyspace@0__:x"
      })
  void patternsThatMatchNoneAreTold(String pattern) {
    assertThat(KeyspaceChannels.someMatch(pattern)).isFalse();
  }

  /** What matches some notification by chance must be said to match some. */
  @Test
  void agreesWithMatching() {
    Random random = Splits.random();
    String letters = "_kyespac@0:*?[]\\^-";
    for (int i = 0; i < 200_000; i++) {
      String channel = random.nextBoolean() ? "__keyspace@0__:e" : "__keyevent@10__:s";
      var pattern = new StringBuilder(channel);
      for (int changes = random.nextInt(6); changes > 0; changes--) {
        int at = random.nextInt(pattern.length());
        String letter = letters.charAt(random.nextInt(letters.length())) + "";
        pattern.replace(at, at + random.nextInt(3), letter);
      }
      if (Glob.exact(pattern.toString()).matches(channel)) {
        assertThat(KeyspaceChannels.someMatch(pattern.toString())).as("%s", pattern).isTrue();
      }
    }
  }

  @Test
  void aHostilePatternCostsLittle() {
    assertThat(KeyspaceChannels.someMatch("*?".repeat(20_000) + "[^_]")).isTrue();
    assertThat(KeyspaceChannels.someMatch("__key" + "*".repeat(100_000))).isTrue();
  }

  @Test
  void notificationsAreKnownByTheirBeginning() {
    assertThat(KeyspaceChannels.isOne("__keyspace@0__:a")).isTrue();
    assertThat(KeyspaceChannels.isOne("__keyevent@0__:set")).isTrue();
    assertThat(KeyspaceChannels.isOne("__key")).isFalse();
    assertThat(KeyspaceChannels.isOne("a__keyspace@0__:a")).isFalse();
  }
}
