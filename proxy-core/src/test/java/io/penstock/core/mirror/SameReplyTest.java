package io.penstock.core.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
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

  private static boolean isSame(String one, String other) {
    return SameReply.isSame(
        Unpooled.wrappedBuffer(Wire.bytes(one)), Unpooled.wrappedBuffer(Wire.bytes(other)));
  }
}
