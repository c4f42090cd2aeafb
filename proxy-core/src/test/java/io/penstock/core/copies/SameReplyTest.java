package io.penstock.core.copies;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.penstock.core.spec.ReplyComparison;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.Test;

class SameReplyTest {

  @Test
  void equalRepliesAreTheSame() {
    for (String reply :
        new String[] {
          "+OK\r\n",
          ":12\r\n",
          ":-3\r\n",
          "$4\r\na\r\nb\r\n",
          "$0\r\n\r\n",
          "$-1\r\n",
          "*0\r\n",
          "*2\r\n:1\r\n*1\r\n$1\r\na\r\n",
          "-ERR a\r\n"
        }) {
      assertThat(isSame(reply, reply)).as(reply).isTrue();
    }
  }

  @Test
  void scalarsOfBothProtocolsAreTheSame() {
    assertThat(isSame("_\r\n", "$-1\r\n")).isTrue();
    assertThat(isSame("_\r\n", "*-1\r\n")).isTrue();
    assertThat(isSame("#t\r\n", ":1\r\n")).isTrue();
    assertThat(isSame("#f\r\n", ":0\r\n")).isTrue();
    assertThat(isSame("(123\r\n", "$3\r\n123\r\n")).isTrue();
    assertThat(isSame("=7\r\ntxt:abc\r\n", "$3\r\nabc\r\n")).isTrue();
  }

  @Test
  void doublesAreComparedAsNumbers() {
    assertThat(isSame(",1.5\r\n", "$3\r\n1.5\r\n")).isTrue();
    assertThat(isSame(",0.1\r\n", "$19\r\n0.10000000000000001\r\n")).isTrue();
    assertThat(isSame(",inf\r\n", "$3\r\ninf\r\n")).isTrue();
    assertThat(isSame(",1.5\r\n", "$3\r\n1.6\r\n")).isFalse();
    assertThat(isSame(",1.5\r\n", "$3\r\nabc\r\n")).isFalse();
    assertThat(isSame("$3\r\n1.5\r\n", "$4\r\n1.50\r\n")).as("texts").isFalse();
  }

  @Test
  void aggregatesAreComparedByTheirScalars() {
    assertThat(isSame("%1\r\n$1\r\na\r\n$1\r\nb\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n")).isTrue();
    assertThat(isSame("%1\r\n$1\r\na\r\n*1\r\n:1\r\n", "*1\r\n*2\r\n$1\r\na\r\n*1\r\n:1\r\n"))
        .isTrue();
    assertThat(isSame("*1\r\n*2\r\n$1\r\na\r\n,1\r\n", "*2\r\n$1\r\na\r\n$1\r\n1\r\n")).isTrue();
    assertThat(isSame("~2\r\n:1\r\n:2\r\n", "*2\r\n:1\r\n:2\r\n")).isTrue();
    assertThat(isSame("*2\r\n_\r\n:1\r\n", "*2\r\n$-1\r\n:1\r\n")).isTrue();
  }

  @Test
  void otherRepliesDiffer() {
    assertThat(isSame("+OK\r\n", "-ERR a\r\n")).isFalse();
    assertThat(isSame("$2\r\nOK\r\n", "-OK\r\n")).isFalse();
    assertThat(isSame(":1\r\n", ":2\r\n")).isFalse();
    assertThat(isSame(":1\r\n", ":11\r\n")).isFalse();
    assertThat(isSame("$0\r\n\r\n", "$-1\r\n")).isFalse();
    assertThat(isSame("*1\r\n:1\r\n", "*2\r\n:1\r\n:1\r\n")).isFalse();
    assertThat(isSame("*2\r\n:1\r\n:1\r\n", "*1\r\n:1\r\n")).isFalse();
    assertThat(isSame("#t\r\n", ":0\r\n")).isFalse();
  }

  @Test
  void elementsAreTheSameInAnyOrderWhereItMakesNoDifference() {
    String set = "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n";
    String shuffled = "~3\r\n$1\r\nc\r\n$1\r\na\r\n$1\r\nb\r\n";

    assertThat(isSame(set, shuffled, ReplyComparison.ANY_ORDER)).isTrue();
    assertThat(isSame(set, shuffled, ReplyComparison.EXACT)).isFalse();
    assertThat(isSame(set, shuffled, ReplyComparison.NONE)).isFalse();
    assertThat(isSame(set, shuffled.replace('c', 'd'), ReplyComparison.ANY_ORDER)).isFalse();
    assertThat(isSame(set, "*2\r\n$1\r\na\r\n$1\r\nb\r\n", ReplyComparison.ANY_ORDER)).isFalse();
    assertThat(isSame("-ERR a\r\n", "-ERR a\r\n", ReplyComparison.ANY_ORDER)).isTrue();
    assertThat(isSame("-ERR a\r\n", set, ReplyComparison.ANY_ORDER)).isFalse();
    assertThat(isSame("*-1\r\n", "_\r\n", ReplyComparison.ANY_ORDER)).isTrue();
    assertThat(isSame("*0\r\n", "~0\r\n", ReplyComparison.ANY_ORDER)).isTrue();
  }

  @Test
  void fieldsKeepTheirValuesInAnyOrder() {
    String map = "%2\r\n$1\r\nf\r\n$1\r\n1\r\n$1\r\ng\r\n$1\r\n2\r\n";
    String pairs = "*4\r\n$1\r\ng\r\n$1\r\n2\r\n$1\r\nf\r\n$1\r\n1\r\n";

    assertThat(isSame(map, pairs, ReplyComparison.PAIRS_IN_ANY_ORDER)).isTrue();
    assertThat(isSame(map, pairs.replace('2', '1'), ReplyComparison.PAIRS_IN_ANY_ORDER)).isFalse();
    assertThat(
            isSame(
                map,
                "*4\r\n$1\r\ng\r\n$1\r\n1\r\n$1\r\nf\r\n$1\r\n2\r\n",
                ReplyComparison.PAIRS_IN_ANY_ORDER))
        .as("values of other fields")
        .isFalse();
  }

  @Test
  void nestedElementsAreTheSameInAnyOrder() {
    String one = "*2\r\n*2\r\n$1\r\na\r\n,1.50\r\n*2\r\n$1\r\nb\r\n,2\r\n";
    String other = "*2\r\n*2\r\n$1\r\nb\r\n$1\r\n2\r\n*2\r\n$1\r\na\r\n$3\r\n1.5\r\n";

    assertThat(isSame(one, other, ReplyComparison.ANY_ORDER)).isTrue();
    assertThat(isSame(one, other.replace("1.5", "1.6"), ReplyComparison.ANY_ORDER)).isFalse();
  }

  private static boolean isSame(String one, String other, ReplyComparison comparison) {
    return SameReply.isSame(
        Unpooled.wrappedBuffer(Wire.bytes(one)),
        Unpooled.wrappedBuffer(Wire.bytes(other)),
        comparison);
  }

  private static boolean isSame(String one, String other) {
    return SameReply.isSame(
        Unpooled.wrappedBuffer(Wire.bytes(one)), Unpooled.wrappedBuffer(Wire.bytes(other)));
  }
}
