package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.penstock.bench.Main;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatioChartTest {

  private static final String TARGET = "penstock-io_uring-async";
  private static final Row BASE = row("single", "get", "nutcracker", 48_769, 15.45);
  private static final Row GET = row("single", "get", TARGET, 54_113, 9.25);
  private static final Row MSET = row("several keys", "mset 10", TARGET, 35_273, 11.67);
  private static final Row MSET_BASE = row("several keys", "mset 10", "nutcracker", 36_166, 21.17);

  @TempDir Path folder;

  @Test
  void theCommandDrawsAResultThatWasWritten() throws IOException {
    Report.write(folder, result(BASE, GET), Charts.Style.BARS);
    Path chart = folder.resolve("chart.svg");

    int status = Main.run("chart", folder.toString(), chart.toString());

    assertThat(status).isZero();
    assertThat(chart).content().startsWith("<?xml").contains("<svg").endsWith("</svg>\n");
  }

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    Report.write(folder, result(BASE, GET), Charts.Style.BARS);

    assertThat(Report.read(folder)).isEqualTo(result(BASE, GET));
  }

  @Test
  void aLoadWithoutTheOtherTargetIsLeftOut() throws IOException {
    assertThat(svg(BASE, GET, MSET)).isEqualTo(svg(BASE, GET));
    assertThat(svg(BASE, GET, MSET, MSET_BASE)).isNotEqualTo(svg(BASE, GET));
  }

  @Test
  void withoutAnyLoadOfBothThereIsNoChart() {
    assertThatIllegalStateException()
        .isThrownBy(() -> svg(BASE))
        .withMessage("no load of the result has figures of both " + TARGET + " and nutcracker");
  }

  private static String svg(Row... rows) throws IOException {
    return RatioChart.svg(result(rows), TARGET, "nutcracker");
  }

  private static Result result(Row... rows) {
    return new Result("suite", false, Map.of("Commit", "`abc`"), List.of(), List.of(rows));
  }

  private static Row row(String group, String load, String target, double rate, double cpu) {
    Map<Measure, Summary> measures =
        Map.of(
            Measure.THROUGHPUT, new Summary(rate, rate, rate, 1),
            Measure.CPU, new Summary(cpu, cpu, cpu, 1));
    return new Row(group, load, target, measures);
  }
}
