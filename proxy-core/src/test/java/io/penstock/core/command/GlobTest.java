package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  })
  void patternsMatchAsInRedis(String pattern, String text, boolean matches) {
    assertThat(Glob.ignoringCase(pattern).matches(text)).isEqualTo(matches);
  }

  @Test
  @Timeout(5)
  void aHostilePatternIsCheap() {
    assertThat(Glob.ignoringCase("a*".repeat(5_000) + "b").matches("a".repeat(10_000))).isFalse();
  }
}
