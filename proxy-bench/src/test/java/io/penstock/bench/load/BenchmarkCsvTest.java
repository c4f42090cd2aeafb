package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import org.junit.jupiter.api.Test;

class BenchmarkCsvTest {

  private static final String HEADER =
      "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\"p95_latency_ms\","
          + "\"p99_latency_ms\",\"max_latency_ms\"\n";

  @Test
  void figuresOfTheLastTestAreTaken() {
    String printed =
        "WARN: could not fetch server CONFIG\n"
            + HEADER
            + "\"SET\",\"1.00\",\"1.000\",\"1.000\",\"1.000\",\"1.000\",\"1.000\",\"1.000\"\n"
            + "\"GET\",\"80225.00\",\"0.525\",\"0.104\",\"0.519\",\"0.790\",\"1.001\",\"2.000\"\n";

    assertThat(BenchmarkCsv.last(printed).values())
        .containsOnly(
            entry(Measure.THROUGHPUT, 80_225.0),
            entry(Measure.MEAN, 0.525),
            entry(Measure.P50, 0.519),
            entry(Measure.P99, 1.001));
  }

  @Test
  void commasInATestsNameDoNotMoveItsFigures() {
    String printed =
        HEADER
            + "\"LRANGE a,b 0 99\",\"5.00\",\"0.525\",\"0.104\",\"0.519\",\"0.790\",\"1.001\",\"2\"\n";

    assertThat(BenchmarkCsv.last(printed).values()).containsEntry(Measure.THROUGHPUT, 5.0);
  }

  @Test
  void whatIsPrintedInsteadOfFiguresIsTheFailure() {
    assertThatExceptionOfType(LoadFailure.class)
        .isThrownBy(() -> BenchmarkCsv.last("Error: Connection\nrefused\n"))
        .withMessageEndingWith("Error: Connection refused");
  }
}
