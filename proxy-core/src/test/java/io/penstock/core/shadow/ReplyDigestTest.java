package io.penstock.core.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.spec.ReplyComparison;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which replies are the same to a shadow read. */
class ReplyDigestTest {

  private static final int WHOLE = Integer.MAX_VALUE;

  /** Returns the digest of a reply that comes in parts of a size. */
  private static ReplyDigest digest(ReplyComparison comparison, String reply, int part) {
    ByteBuf bytes =
        Unpooled.copiedBuffer("??" + reply.replace("|", "\r\n"), StandardCharsets.ISO_8859_1);
    var digest = new ReplyDigest(comparison);
    for (int at = 2; at < bytes.writerIndex(); ) {
      int to = (int) Math.min((long) at + part, bytes.writerIndex());
      digest.add(bytes, at, to);
      at = to;
    }
    digest.end();
    return digest;
  }

  private static void assertSame(
      ReplyComparison comparison, String one, String other, boolean expected) {
    ReplyDigest whole = digest(comparison, one, WHOLE);
    for (int part : new int[] {1, 2, 3, 7, 8, 9, WHOLE}) {
      assertThat(whole.isSameAs(digest(comparison, other, part)))
          .as("%s and %s in parts of %s", one, other, part)
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "EXACT, $3|abc|, $3|abc|, true",
    "EXACT, $3|abc|, $3|abd|, false",
    "EXACT, $-1|, $3|abc|, false",
    "EXACT, $-1|, _|, false",
    "EXACT, *2|:1|:2|, *2|:2|:1|, false",
    "EXACT, $20|01234567890123456789|, $20|01234567890123456789|, true",
    "EXACT, $20|01234567890123456789|, $20|01234567 90123456789|, false",
    "ANY_ORDER, *3|$1|a|$2|bb|:7|, *3|:7|$2|bb|$1|a|, true",
    "ANY_ORDER, ~2|$1|a|$1|b|, ~2|$1|b|$1|a|, true",
    "ANY_ORDER, ~2|$1|a|$1|b|, ~2|$1|b|$1|c|, false",
    "ANY_ORDER, *2|$1|a|$1|a|, *2|$1|b|$1|b|, false",
    "ANY_ORDER, *2|$1|a|$1|b|, ~2|$1|a|$1|b|, false",
    "ANY_ORDER, *2|*2|:1|:2|:3|, *2|:3|*2|:1|:2|, true",
    "ANY_ORDER, *2|*2|:1|:2|:3|, *2|:3|*2|:2|:1|, false",
    "ANY_ORDER, *0|, *0|, true",
    "ANY_ORDER, *-1|, *0|, false",
    "ANY_ORDER, _|, _|, true",
    "PAIRS_IN_ANY_ORDER, *4|$1|a|$1|1|$1|b|$1|2|, *4|$1|b|$1|2|$1|a|$1|1|, true",
    "PAIRS_IN_ANY_ORDER, *4|$1|a|$1|1|$1|b|$1|2|, *4|$1|a|$1|2|$1|b|$1|1|, false",
    "ANY_ORDER, %2|$1|a|$1|1|$1|b|$1|2|, %2|$1|b|$1|2|$1|a|$1|1|, true",
    "ANY_ORDER, %2|$1|a|$1|1|$1|b|$1|2|, %2|$1|a|$1|2|$1|b|$1|1|, false"
  })
  void repliesAreComparedAsTheirCommandSays(
      ReplyComparison comparison, String one, String other, boolean same) {
    assertSame(comparison, one, other, same);
  }

  @Test
  void errorsAreComparedByTheirFirstWord() {
    ReplyDigest one = digest(ReplyComparison.EXACT, "-WRONGTYPE Operation against a key|", WHOLE);

    assertThat(one.isSameAs(digest(ReplyComparison.ANY_ORDER, "-WRONGTYPE other|", WHOLE)))
        .isTrue();
    assertThat(one.isSameAs(digest(ReplyComparison.EXACT, "-ERR other|", WHOLE))).isFalse();
    assertThat(one.isSameAs(digest(ReplyComparison.EXACT, "+OK|", WHOLE))).isFalse();
    assertThat(one.error()).isEqualTo("WRONGTYPE");
  }

  @Test
  void aDescriptionTellsNothingOfTheContent() {
    assertThat(digest(ReplyComparison.EXACT, "$6|secret|", WHOLE).description())
        .isEqualTo("string of 12 bytes");
    assertThat(digest(ReplyComparison.EXACT, "-ERR secret|", WHOLE).description())
        .isEqualTo("error ERR of 13 bytes");
  }
}
