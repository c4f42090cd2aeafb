package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ScaleTest {

  private static final Scale FULL = new Scale(200_000, Duration.ofSeconds(10), 100_000, 10_000);

  @Test
  void largeValuesHaveFewKeys() {
    assertThat(FULL.keysOf(3)).isEqualTo(100_000);
    assertThat(FULL.keysOf(16 << 10)).isEqualTo(4_096);
    assertThat(FULL.keysOf(1 << 20)).isEqualTo(64);
    assertThat(FULL.keysOf(1 << 30)).isEqualTo(1);
  }

  @Test
  void hashTagsShareTheKeys() {
    assertThat(FULL.keysOf(3, 3)).isEqualTo(33_333);
    assertThat(FULL.keysOf(3, 16_384)).isEqualTo(6);
    assertThat(FULL.keysOf(1 << 20, 3)).isEqualTo(21);
    assertThatExceptionOfType(LoadFailure.class)
        .isThrownBy(() -> FULL.keysOf(16 << 10, 16_384))
        .withMessageContaining("more than 64 MiB");
  }

  @Test
  void aPartIsNeverNothing() {
    assertThat(FULL.fractionOfRequests(100)).isEqualTo(2_000);
    assertThat(new Scale(5, Duration.ZERO, 1, 1).fractionOfRequests(100)).isEqualTo(1);
  }

  @Test
  void theSuiteHasWhatTheFieldMeasures() {
    assertThat(BenchmarkSuite.of(FULL))
        .extracting(load -> load.group() + ": " + load.name())
        .doesNotHaveDuplicates()
        .contains(
            "single: spop",
            "lrange: lrange_600",
            "pipelined: get -P 1000 -c 100",
            "several keys: mset 10",
            "connection per request: get -k 0",
            "value size: get 1 MiB",
            "connections: get -c 5000",
            "mix: 4 × 50 connections");
  }

  @Test
  void loadsWithMoreConnectionsThanAllowedAreLeftOut() {
    assertThat(BenchmarkSuite.of(new Scale(1, Duration.ZERO, 1, 50)))
        .extracting(Load::name)
        .contains("get -c 50")
        .doesNotContain("get -c 500");
  }
}
