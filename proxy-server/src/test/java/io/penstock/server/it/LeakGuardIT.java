package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LeakGuardIT {

  @Test
  void reportsABufferThatIsNotReleased() {
    loseABuffer();

    List<String> leaks = new ArrayList<>();
    Awaitility.await()
        .until(() -> {
          leaks.addAll(LeakGuard.collect());
          return !leaks.isEmpty();
        });
    assertThat(leaks).hasSize(1);
    assertThat(leaks.getFirst()).contains("ByteBuf").contains("loseABuffer");
  }

  /** With a hint of its own: Netty reports equal traces once, also when a JVM repeats a test. */
  private static void loseABuffer() {
    ByteBufAllocator.DEFAULT.directBuffer(17).writeByte(1).touch(System.nanoTime());
  }
}
