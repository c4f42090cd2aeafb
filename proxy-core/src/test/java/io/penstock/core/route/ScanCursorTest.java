package io.penstock.core.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScanCursorTest {

  private static final int SLOTS = 16_384;

  @ParameterizedTest
  @ValueSource(ints = {1, 3, SLOTS, SLOTS + 1, 5 * SLOTS, ScanCursor.MAX_PARTITIONS})
  void aCursorIsPositiveAndDecodesToItsParts(int partitions) {
    var random = new Random(8);
    for (int i = 0; i < 10_000; i++) {
      long node = random.nextLong() >>> (24 + random.nextInt(40));
      long tag = random.nextLong();
      var cursor = new ScanCursor(random.nextBoolean(), random.nextInt(partitions), tag, node);
      long encoded = cursor.encode(partitions);

      assertThat(encoded).isNotNegative();
      ScanCursor decoded = ScanCursor.decode(encoded, partitions);
      assertThat(decoded.changed()).isEqualTo(cursor.changed());
      assertThat(decoded.partition()).isEqualTo(cursor.partition());
      assertThat(decoded.node()).isEqualTo(node);
      assertThat(ScanCursor.hasTag(encoded, tag, partitions)).isTrue();
      assertThat(ScanCursor.hasTag(encoded, tag ^ 1L << 40, partitions)).isFalse();
    }
  }

  @Test
  void aShortCursorKeepsMoreOfTheTag() {
    long shortCursor = new ScanCursor(false, 1, 1L << 32, 0xFFFF_FFFFL).encode(SLOTS);
    long longCursor = new ScanCursor(false, 1, 1L << 40, 0x1_0000_0000L).encode(SLOTS);

    assertThat(ScanCursor.hasTag(shortCursor, 0, SLOTS)).isFalse();
    assertThat(ScanCursor.hasTag(longCursor, 1L << 32, SLOTS)).isFalse();
    assertThat(ScanCursor.hasTag(longCursor, (1L << 32) | (1L << 40), SLOTS)).isTrue();
  }

  @Test
  void nodeCursorsOfMoreThanFortyBitsDoNotFit() {
    assertThat(new ScanCursor(true, 16_383, -1, (1L << 40) - 1).encode(SLOTS))
        .isEqualTo(Long.MAX_VALUE);
    assertThat(new ScanCursor(true, 16_383, -1, 1L << 40).encode(SLOTS))
        .isEqualTo(ScanCursor.DOES_NOT_FIT);
    assertThat(new ScanCursor(true, 0, 0, -1).encode(SLOTS)).isEqualTo(ScanCursor.DOES_NOT_FIT);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "00, 0", "+7, 7", "-1, -1", "18446744073709551615, -1", "'', 0"})
  void cursorsAreParsedAsByServers(String text, long value) {
    assertThat(ScanCursor.parse(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {" 0", "0 ", "abc", "0x1", "18446744073709551616", "-", "+-1", "1\0"})
  void aCursorMustBeANumber(String text) {
    assertThatThrownBy(() -> ScanCursor.parse(text)).isInstanceOf(NumberFormatException.class);
  }
}
