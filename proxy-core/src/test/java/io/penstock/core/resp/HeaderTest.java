package io.penstock.core.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderTest {

  @ParameterizedTest
  @ValueSource(longs = {0, 9, 10, 99, 1_234_567_890_123L, Long.MAX_VALUE, -1, Long.MIN_VALUE})
  void theNumberIsDecimal(long number) {
    ByteBuf out = Unpooled.buffer();

    Header.write(out, ':', number);

    assertThat(Wire.text(out)).isEqualTo(":" + number + "\r\n");
  }
}
