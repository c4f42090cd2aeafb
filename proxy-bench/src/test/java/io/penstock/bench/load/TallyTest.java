package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Sample;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TallyTest {

  private static final Offset<Double> THREE_DIGITS = within(0.002);

  @Test
  void ratesAndPercentilesComeFromAllThreads() {
    Histogram fast = Tally.histogram();
    Tally.record(fast, 1_000_000, 98);
    Histogram slow = Tally.histogram();
    Tally.record(slow, 2_000_000, 2);

    Sample sample = new Tally(fast, 98).plus(new Tally(slow, 2)).sample(500_000_000);

    assertThat(value(sample, Measure.THROUGHPUT)).isEqualTo(200);
    assertThat(value(sample, Measure.MEAN)).isCloseTo(1.02, THREE_DIGITS);
    assertThat(value(sample, Measure.P50)).isCloseTo(1, THREE_DIGITS);
    assertThat(value(sample, Measure.P99)).isCloseTo(2, THREE_DIGITS);
    assertThat(value(sample, Measure.P999)).isCloseTo(2, THREE_DIGITS);
  }

  @Test
  void withoutRepliesThereAreNoFigures() {
    assertThatExceptionOfType(LoadFailure.class)
        .isThrownBy(() -> Tally.empty().sample(1_000_000))
        .withMessage("no reply came within 1 ms");
  }

  private static double value(Sample sample, Measure measure) {
    return Objects.requireNonNull(sample.values().get(measure));
  }
}
