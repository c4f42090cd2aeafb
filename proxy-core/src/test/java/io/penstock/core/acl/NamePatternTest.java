package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.RedisGlob;
import io.penstock.core.wire.Splits;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NamePatternTest {

  private static final String LETTERS = "aaabbbABC*?[]^-\\\u00e4\u00ff";

  private static String random(Random random, String letters, int most) {
    var text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }

  /** Puts the name at the end of the buffer, or before other bytes. */
  private static boolean matches(NamePattern pattern, String name, int before, int after) {
    byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
    ByteBuf buffer = Unpooled.buffer(before + bytes.length + after, before + bytes.length + after);
    buffer.writeZero(before).writeBytes(bytes);
    while (buffer.isWritable()) {
      buffer.writeByte('a');
    }
    return pattern.matches(buffer, before, bytes.length);
  }

  @Test
  void bytesMatchAsInRedis() {
    Random random = Splits.random();
    int matching = 0;
    for (int i = 0; i < 300_000; i++) {
      String literal = random(random, "ab", 20);
      String text = literal + random(random, LETTERS, 4) + (random.nextBoolean() ? "*" : "");
      String name = literal + random(random, LETTERS, 4);
      boolean expected = RedisGlob.matches(text, name, false);
      NamePattern pattern = NamePattern.of(text);
      assertThat(matches(pattern, name, random.nextInt(3), random.nextInt(10)))
          .as("%s on %s", text, name)
          .isEqualTo(expected);
      assertThat(pattern.matches(name)).as("%s on %s", text, name).isEqualTo(expected);
      matching += expected ? 1 : 0;
    }
    assertThat(matching).isGreaterThan(10_000);
  }

  @Test
  void aPatternIsComparedAsItIsWritten() {
    NamePattern pattern = NamePattern.of("n\u00e4ws.*");
    ByteBuf buffer = Unpooled.copiedBuffer("n\u00e4ws.*x", StandardCharsets.ISO_8859_1);

    assertThat(pattern.isWritten(buffer, 0, 6)).isTrue();
    assertThat(pattern.isWritten(buffer, 0, 7)).isFalse();
    assertThat(pattern.isWritten(buffer, 1, 6)).isFalse();
  }
}
