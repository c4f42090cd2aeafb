package io.penstock.core.leak;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.Test;

class LeakReportsTest {

  @Test
  void everyBufferIsWatched() {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
  }

  @Test
  void aBufferThatNobodyReleasesIsReportedOnce() {
    forgetABuffer();

    assertThat(LeakReports.take()).hasSize(1).first().asString().contains("forgetABuffer");
    assertThat(LeakReports.take()).isEmpty();
  }

  @Test
  void aReleasedBufferIsNotReported() {
    ByteBufAllocator.DEFAULT.directBuffer(16).release();

    assertThat(LeakReports.take()).isEmpty();
  }

  /** With a hint of its own: Netty reports equal traces once, also when a JVM repeats a test. */
  private static void forgetABuffer() {
    ByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1).touch(System.nanoTime());
  }
}
