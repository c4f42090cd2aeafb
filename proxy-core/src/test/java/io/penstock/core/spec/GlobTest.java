package io.penstock.core.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.RedisGlob;
import io.penstock.core.wire.Splits;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GlobTest {

  @ParameterizedTest
  @CsvSource({
    "*, get, true",
    "'', '', true",
    "'', get, false",
    "get, get, true",
    "GET, get, true",
    "g?t, get, true",
    "g?, get, false",
    "g*, get, true",
    "*t, get, true",
    "*e*, get, true",
    "**, get, true",
    "*x*, get, false",
    "get*, get, true",
    "*get*et, getget, true",
    "g[aeiou]t, get, true",
    "g[^aeiou]t, get, false",
    "g[A-F]t, get, true",
    "g[f-a]t, get, true",
    "g[x-z]t, get, false",
    "g[e, ge, true",
    "g[, ge, false",
    "'g\\et', get, true",
    "'\\*', get, false",
    "'xx\\', 'xx\\', true",
    "config|*, config|get, true",
    "*, '', false",
    "**, '', false",
    "**e**, get, true",
    "g[], get, false",
    "g[^]t, get, true",
    "g[\\E]t, get, false",
    "g[\\E]t, gEt, true",
    "g[@-_]t, get, false",
    "g[a-]t, get, false",
  })
  void patternsMatchAsInRedis(String pattern, String text, boolean matches) {
    assertThat(Glob.ignoringCase(pattern).matches(text)).isEqualTo(matches);
  }

  private static final String LETTERS = "aabbABCz*?[]^-\\|_";

  private static String random(Random random, int most) {
    var text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      int any = random.nextInt(LETTERS.length() + 1);
      text.append(any < LETTERS.length() ? LETTERS.charAt(any) : (char) random.nextInt(256));
    }
    return text.toString();
  }

  @Test
  void randomPatternsMatchAsInRedis() {
    Random random = Splits.random();
    int matches = 0;
    for (int i = 0; i < 1_000_000; i++) {
      String pattern = random(random, 12);
      String text = random(random, 6);
      boolean expected = RedisGlob.matches(pattern, text, false);
      assertThat(Glob.exact(pattern).matches(text))
          .as("%s on %s", pattern, text)
          .isEqualTo(expected);
      assertThat(Glob.ignoringCase(pattern).matches(text))
          .as("%s on %s in any case", pattern, text)
          .isEqualTo(RedisGlob.matches(pattern, text, true));
      matches += expected ? 1 : 0;
    }
    assertThat(matches).isGreaterThan(10_000);
  }

  /** Returns whether it matches; counts slices. */
  private boolean inSlices(Glob glob, String text, int steps) {
    var match = new GlobMatch(glob, text);
    slices = 1;
    while (match.step(steps) == GlobMatch.UNDECIDED) {
      slices++;
    }
    return match.isMatch();
  }

  private long slices;

  @Test
  void matchingInSlicesGivesTheSameResult() {
    Random random = Splits.random();
    for (int i = 0; i < 100_000; i++) {
      Glob glob = Glob.exact(random(random, 12));
      String text = random(random, 6);
      assertThat(inSlices(glob, text, 1 + random.nextInt(3))).isEqualTo(glob.matches(text));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a*", "*a", "*?", "[ab]*", "*[^b]", "*[!!!!!!!!-a!!!!!]", "***a"})
  void starsCostAtMostPatternTimesTextSteps(String part) {
    Glob glob = Glob.ignoringCase(part.repeat(1_000) + "b");
    String text = "a".repeat(5_000);

    assertThat(inSlices(glob, text, glob.size())).isFalse();

    assertThat(slices).isLessThanOrEqualTo(text.length() + 1);
  }

  @Test
  void aClassIsOneStepAtAnyLength() {
    Glob glob = Glob.ignoringCase("*[" + "!".repeat(1_000_000));

    assertThat(glob.size()).isEqualTo(2);
    assertThat(inSlices(glob, "client|no-evict", 1)).isFalse();
    assertThat(slices).isLessThan(50);
  }

  @Test
  void aRunOfStarsIsOneStar() {
    Glob glob = Glob.exact("a" + "*".repeat(1_000_000) + "b");

    assertThat(glob.size()).isEqualTo(3);
    assertThat(glob.matches("a__b")).isTrue();
  }
}
