package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.Test;

class RetainedSliceTest {

  @Test
  void mostOfABufferIsASlice() {
    ByteBuf source = Wire.buffer("0123456789".repeat(10));

    ByteBuf piece = RetainedSlice.of(source, 10, 80);

    assertThat(source.refCnt()).isEqualTo(2);
    assertThat(Wire.text(piece)).isEqualTo("0123456789".repeat(8));
    piece.release();
    source.release();
  }

  @Test
  void aSmallPartOfABufferIsCopied() {
    ByteBuf source = Wire.buffer("0123456789".repeat(10));

    ByteBuf piece = RetainedSlice.of(source, 10, 10);

    assertThat(source.refCnt()).isEqualTo(1);
    source.release();
    assertThat(Wire.text(piece)).isEqualTo("0123456789");
    piece.release();
  }
}
