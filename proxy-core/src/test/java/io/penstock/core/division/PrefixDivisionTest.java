package io.penstock.core.division;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.Unpooled;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrefixDivisionTest {

  private final Partitioner partitioner =
      new PrefixDivision(
              Map.of("a:", 1, "a:b:", 2, "a:b:c", 3, "b", 1, "é", 2, "a:x:", 0, "a:x:y", 2), 0, 4)
          .partitioner();

  private static int partOf(Partitioner partitioner, String key) {
    return partitioner.partitionOf(key.getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isDecidedBy(Partitioner partitioner, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return partitioner.isDecidedBy(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
  }

  @ParameterizedTest
  @CsvSource({
    "a:, 1",
    "a:1, 1",
    "a:b, 1",
    "a:b:, 2",
    "a:b:b, 2",
    "a:b:c, 3",
    "a:b:cd, 3",
    "a:b:d, 2",
    "a:zz, 1",
    "b, 1",
    "ba, 1",
    "a, 0",
    "'', 0",
    "B, 0",
    "zzz, 0",
    "é1, 2",
    "a:x:z, 0",
    "a:x:yz, 2"
  })
  void theLongestPrefixWins(String key, int part) {
    assertThat(partOf(partitioner, key)).isEqualTo(part);
  }

  @Test
  void isAsSlowlySearched() {
    var random = new Random(1);
    Map<String, Integer> prefixes = new HashMap<>();
    while (prefixes.size() < 300) {
      prefixes.put(text(random, 1 + random.nextInt(5)), 1 + random.nextInt(7));
    }
    Partitioner found = new PrefixDivision(prefixes, 0, 8).partitioner();

    for (int i = 0; i < 10_000; i++) {
      String key = text(random, random.nextInt(8));
      int expected = 0;
      for (int length = 1; length <= key.length(); length++) {
        expected = prefixes.getOrDefault(key.substring(0, length), expected);
      }
      assertThat(partOf(found, key)).as(key).isEqualTo(expected);
    }
  }

  private static String text(Random random, int length) {
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append("ab:\u00ff".charAt(random.nextInt(4)));
    }
    return text.toString();
  }

  @ParameterizedTest
  @CsvSource({
    "a:b:c, true",
    "a:b:cd, true",
    "a:b, false", // a:b:
    "a:, false",
    "a:b:, false",
    "a:z, true",
    "zz, true",
    "'', false",
    "a:x, false", // a:x: is elsewhere
    "b, true"
  })
  void aTextDecidesUnlessALongerPrefixIsElsewhere(String text, boolean decides) {
    assertThat(isDecidedBy(partitioner, text)).isEqualTo(decides);
  }

  @Test
  void manyPrefixesAreShownInPart() {
    Map<String, Integer> many = new HashMap<>();
    for (int i = 10; i < 100; i++) {
      many.put("p" + i, 0);
    }
    PrefixDivision division = new PrefixDivision(many, 0, 1);

    assertThat(division.textOf(0)).startsWith("\"p10\", \"p11\", ");
    assertThat(division.textOf(0)).endsWith(", \"p29\", 70 more, otherwise");
  }

  @Test
  void anEmptyPrefixIsAnError() {
    assertThatIllegalArgumentException().isThrownBy(() -> new PrefixDivision(Map.of("", 1), 0, 2));
  }
}
