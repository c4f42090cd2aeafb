package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.Test;

class SharedBufferTest {

  @Test
  void theLastShareReleasesTheBuffer() {
    ByteBuf buffer = Wire.buffer("GET k\r\n");
    var shared = new SharedBuffer(buffer);
    assertThat(shared.isExclusive()).isTrue();

    SharedBuffer second = shared.share();
    assertThat(shared.isExclusive()).isFalse();
    assertThat(buffer.refCnt()).isEqualTo(1);

    shared.release();
    assertThat(second.isExclusive()).isTrue();
    assertThat(buffer.refCnt()).isEqualTo(1);

    second.release();
    assertThat(buffer.refCnt()).isZero();
  }
}
