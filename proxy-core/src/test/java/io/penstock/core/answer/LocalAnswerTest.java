package io.penstock.core.answer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalAnswerTest {

  @Test
  void theBufferIsReleasedIfWritingTheReplyFails() {
    List<ByteBuf> begun = new ArrayList<>();

    assertThatThrownBy(() ->
            LocalAnswer.encode(out -> {
              begun.add(out.writeBytes(new byte[10_000]));
              throw new OutOfMemoryError("thrown by a test");
            }))
        .hasMessage("thrown by a test");

    assertThat(begun.getFirst().refCnt()).isZero();
  }
}
