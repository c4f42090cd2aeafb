package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.Glob;
import io.penstock.core.wire.Splits;
import java.lang.management.ManagementFactory;
import java.util.List;
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
        "__keyspace@[^01]__:",
        "__keyspace@0__[:"
      })
  void patternsThatMatchNotificationsAreRecognized(String pattern) {
    assertThat(KeyspaceChannels.canMatch(pattern)).isTrue();
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
  void patternsThatMatchNoneAreRecognized(String pattern) {
    assertThat(KeyspaceChannels.canMatch(pattern)).isFalse();
  }

  /** A pattern that matches a random notification must be recognized. */
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
        assertThat(KeyspaceChannels.canMatch(pattern.toString())).as("%s", pattern).isTrue();
      }
    }
  }

  @Test
  void aPatternMatchesIfAMatchingNameExists() {
    Random random = Splits.random();
    String letters = "_kyespac@01:*?[]\\^-";
    int matches = 0;
    for (int i = 0; i < 100_000; i++) {
      var pattern = new StringBuilder(random.nextBoolean() ? "__keyspace@01__:" : "__keyevent@0__");
      for (int changes = random.nextInt(4); changes > 0; changes--) {
        int at = random.nextInt(pattern.length());
        String letter = letters.charAt(random.nextInt(letters.length())) + "";
        pattern.replace(at, at + random.nextInt(2), letter);
      }
      Glob glob = Glob.exact(pattern.toString());
      boolean expected =
          canBeMade(glob, 0, "__keyspace@", 0) || canBeMade(glob, 0, "__keyevent@", 0);
      assertThat(KeyspaceChannels.canMatch(pattern.toString()))
          .as("%s", pattern)
          .isEqualTo(expected);
      matches += expected ? 1 : 0;
    }
    assertThat(matches).isBetween(10_000, 90_000);
  }

  /**
   * Tries all names, character by character, up to the colon behind the database.
   *
   * @param name the prefix and the characters chosen so far
   * @param done the number of characters chosen
   */
  private static boolean canBeMade(Glob glob, int element, String name, int done) {
    if (done > 0 && name.charAt(done - 1) == ':') {
      return true;
    }
    if (element == glob.size() || done > 20) {
      return false;
    }
    boolean star = glob.isStar(element);
    if (star && canBeMade(glob, element + 1, name, done)) {
      return true;
    }
    for (char c : choices(name, done).toCharArray()) {
      if (star || glob.accepts(element, c)) {
        String longer = done < name.length() ? name : name + c;
        if (canBeMade(glob, star ? element : element + 1, longer, done + 1)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The patterns here contain 0 and 1 only, so 2 stands for all other digits. */
  private static final String DIGITS = "012";

  private static String choices(String name, int done) {
    if (done < name.length()) {
      return name.substring(done, done + 1);
    }
    if (name.endsWith("_")) {
      return name.endsWith("__") ? ":" : "_";
    }
    return name.endsWith("@") ? DIGITS : DIGITS + "_";
  }

  /** Pieces of a pattern. */
  @ParameterizedTest
  @ValueSource(strings = {"*", "*?", "*!", "?", "[", "[a", "[!]", "\\", "0", "_", "[0-9_]"})
  void memoryIsProportionalToThePattern(String piece) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (String beginning : List.of("", "__keyspace@0", "__keyevent@0__:")) {
      String pattern = beginning + piece.repeat(100_000);
      long before = threads.getCurrentThreadAllocatedBytes();

      KeyspaceChannels.canMatch(pattern + "[^_]");

      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated).isLessThan(50L * pattern.length());
    }
  }

  @Test
  void notificationsAreRecognizedByTheirPrefix() {
    assertThat(KeyspaceChannels.isKeyspaceChannel("__keyspace@0__:a")).isTrue();
    assertThat(KeyspaceChannels.isKeyspaceChannel("__keyevent@0__:set")).isTrue();
    assertThat(KeyspaceChannels.isKeyspaceChannel("__key")).isFalse();
    assertThat(KeyspaceChannels.isKeyspaceChannel("a__keyspace@0__:a")).isFalse();
  }
}
