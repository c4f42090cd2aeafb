package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SideBySideChartTest {

  private static final String RESULT =
      """
      | Load | Target | Throughput | × nutcracker | CPU per request | × nutcracker | p99 | CPU of the load | of the servers | Processors idle |
      |---|---|---:|---:|---:|---:|---:|---:|---:|---:|
      | get-c50 | nutcracker | 48769/s | 1.00 | 15.45 µs | 1.00 | 1.71 ms | 13.72 µs | 7.70 µs | 0.11 |
      | get-c50 | penstock-io_uring | 54113/s | 1.11 | 9.25 µs | 0.60 | 1.55 ms | 13.29 µs | 10.70 µs | 0.11 |
      | mset-c50 | penstock-io_uring | 35273/s | 0.98 | 11.67 µs | 0.55 | 3.30 ms | 14.21 µs | 22.17 µs | 0.28 |
      """;

  @TempDir Path folder;

  @Test
  void theCommandWritesAChartOfTheTargetsLoads() throws IOException {
    Path result = Files.writeString(folder.resolve("result.md"), RESULT);
    Path chart = folder.resolve("chart.svg");

    int status = Main.run("chart", result.toString(), chart.toString());

    assertThat(status).isZero();
    assertThat(chart).content().startsWith("<?xml").contains("<svg").endsWith("</svg>\n");
  }

  @Test
  void moreColumnsDoNotMatter() throws IOException {
    Path result = Files.writeString(folder.resolve("result.md"), RESULT);
    Path wider =
        Files.writeString(folder.resolve("wider.md"), RESULT.replaceAll("(?m) \\|$", " | 0.02 |"));

    assertThat(SideBySideChart.svg(wider, "penstock-io_uring"))
        .isEqualTo(SideBySideChart.svg(result, "penstock-io_uring"));
  }

  @Test
  void anotherLoadGivesAnotherChart() throws IOException {
    Path both = Files.writeString(folder.resolve("both.md"), RESULT);
    Path first =
        Files.writeString(folder.resolve("first.md"), RESULT.replaceAll("(?m)^\\| mset.*\n", ""));

    assertThat(SideBySideChart.svg(both, "penstock-io_uring"))
        .isNotEqualTo(SideBySideChart.svg(first, "penstock-io_uring"));
  }

  @Test
  void aTargetThatTheResultLacksIsAnError() throws IOException {
    Path result = Files.writeString(folder.resolve("result.md"), RESULT);

    assertThatThrownBy(() -> SideBySideChart.svg(result, "penstock-epoll"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith("result.md has no row of the target penstock-epoll");
  }
}
