package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BufferBenchmarkTest {

  @Test
  void findsTheLineFeed() {
    assertThat(new BufferBenchmark().findLineFeed()).isEqualTo(9);
  }
}
