package io.penstock.core.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScanCursorTest {

  @Test
  void aCursorIsPositiveAndDecodesToItsParts() {
    var random = new Random(8);
    for (int i = 0; i < 10_000; i++) {
      long node = random.nextLong() >>> (24 + random.nextInt(40));
      long tag = random.nextLong();
      var cursor = new ScanCursor(random.nextBoolean(), random.nextInt(16_384), tag, node);
      long encoded = cursor.encode();

      assertThat(encoded).isNotNegative();
      ScanCursor decoded = ScanCursor.decode(encoded);
      assertThat(decoded.changed()).isEqualTo(cursor.changed());
      assertThat(decoded.partition()).isEqualTo(cursor.partition());
      assertThat(decoded.node()).isEqualTo(node);
      assertThat(ScanCursor.hasTag(encoded, tag)).isTrue();
      assertThat(ScanCursor.hasTag(encoded, tag ^ 1L << 46)).isFalse();
    }
  }

  @Test
  void aShortCursorKeepsMoreOfTheTag() {
    long shortCursor = new ScanCursor(false, 1, 1L << 32, 0xFFFF_FFFFL).encode();
    long longCursor = new ScanCursor(false, 1, 1L << 40, 0x1_0000_0000L).encode();

    assertThat(ScanCursor.hasTag(shortCursor, 0)).isFalse();
    assertThat(ScanCursor.hasTag(longCursor, 1L << 32)).isFalse();
    assertThat(ScanCursor.hasTag(longCursor, (1L << 32) | (1L << 40))).isTrue();
  }

  @Test
  void nodeCursorsOfMoreThanFortyBitsDoNotFit() {
    assertThat(new ScanCursor(true, 16_383, -1, (1L << 40) - 1).encode()).isEqualTo(Long.MAX_VALUE);
    assertThat(new ScanCursor(true, 16_383, -1, 1L << 40).encode())
        .isEqualTo(ScanCursor.DOES_NOT_FIT);
    assertThat(new ScanCursor(true, 0, 0, -1).encode()).isEqualTo(ScanCursor.DOES_NOT_FIT);
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
