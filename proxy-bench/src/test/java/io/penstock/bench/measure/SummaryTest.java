package io.penstock.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {

  @Test
  void medianOfAnOddNumberIsTheMiddleValue() {
    assertThat(Summary.of(List.of(9.0, 1.0, 4.0))).isEqualTo(new Summary(4, 1, 9, 3));
  }

  @Test
  void medianOfAnEvenNumberLiesBetweenTheMiddleValues() {
    assertThat(Summary.of(List.of(8.0, 1.0, 2.0, 4.0))).isEqualTo(new Summary(3, 1, 8, 4));
  }

  @Test
  void oneValueIsItsOwnMedian() {
    assertThat(Summary.of(List.of(7.0))).isEqualTo(new Summary(7, 7, 7, 1));
  }

  @Test
  void ofNothingThereIsNoSummary() {
    assertThatIllegalArgumentException().isThrownBy(() -> Summary.of(List.of()));
  }

  @Test
  void measuresThatNoSampleHasAreAbsent() {
    Sample first = Sample.EMPTY.with(Measure.THROUGHPUT, 10);
    Sample second = first.with(Measure.THROUGHPUT, 20).with(Measure.CPU, 3);

    assertThat(Summary.each(List.of(first, second)))
        .containsOnlyKeys(Measure.THROUGHPUT, Measure.CPU)
        .containsEntry(Measure.THROUGHPUT, new Summary(15, 10, 20, 2))
        .containsEntry(Measure.CPU, new Summary(3, 3, 3, 1));
  }
}
