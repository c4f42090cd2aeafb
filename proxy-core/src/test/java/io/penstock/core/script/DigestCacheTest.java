package io.penstock.core.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.wire.Frames;
import io.penstock.testkit.wire.Wire;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DigestCacheTest {

  private final DigestCache digests = new DigestCache();

  private String of(String text) {
    return digests.of(Frames.of("EVAL", text), 1);
  }

  private static String sha1(String text) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(Wire.bytes(text)));
  }

  @Test
  void aRepeatedTextIsNotDigestedAgain() {
    String first = of("return 1");

    assertThat(first).isEqualTo("e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
    assertThat(of("return 1")).isSameAs(first);
  }

  @Test
  void textsThatDifferInAnyByteAreDistinguished() throws Exception {
    for (int length : new int[] {0, 1, 3, 4, 5, 63, 64, 65, 1_000}) {
      String text = "x".repeat(length);
      assertThat(of(text)).isEqualTo(sha1(text));
      for (int i = 0; i < length; i++) {
        String other = text.substring(0, i) + 'y' + text.substring(i + 1);
        assertThat(of(other)).isEqualTo(sha1(other));
      }
      assertThat(of(text)).isEqualTo(sha1(text));
    }
  }

  @Test
  void manyTextsGetTheRightDigests() throws Exception {
    var random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      String text = "return " + random.nextInt(1_000);
      assertThat(of(text)).isEqualTo(sha1(text));
    }
  }

  @Test
  void longTextsAreNotCached() throws Exception {
    String text = "x".repeat(DigestCache.LONGEST + 1);
    String first = of(text);

    assertThat(first).isEqualTo(sha1(text));
    assertThat(of(text)).isEqualTo(first).isNotSameAs(first);
  }
}
