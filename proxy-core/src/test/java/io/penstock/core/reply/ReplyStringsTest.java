package io.penstock.core.reply;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class ReplyStringsTest {

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, ISO_8859_1);
  }

  @Test
  void nullsAreEmptyStringsInBothProtocols() {
    String before = "*3\r\n$1\r\na\r\n";
    String behind = "+no-writes\r\n";

    assertThat(ReplyStrings.withStatuses(bytes(before + "$-1\r\n" + behind)))
        .containsExactly("a", "", "no-writes");
    assertThat(ReplyStrings.withStatuses(bytes(before + "_\r\n" + behind)))
        .containsExactly("a", "", "no-writes");
  }

  @Test
  void statusesAreIncludedOnlyOnRequest() {
    assertThat(ReplyStrings.of(bytes("*3\r\n$1\r\na\r\n+OK\r\n:7\r\n"))).containsExactly("a", "7");
  }
}
