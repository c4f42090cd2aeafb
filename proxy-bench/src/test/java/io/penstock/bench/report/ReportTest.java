package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {

  private static final List<Row> ROWS =
      List.of(
          row("get", "nutcracker", 80_000, Map.of(Measure.CPU, new Summary(10, 9, 11, 3))),
          row("get", "penstock", 100_000, Map.of(Measure.CPU, new Summary(5, 4, 6, 3))),
          row("get", "direct", 160_000, Map.of()));

  @Test
  void figuresStandBesideRatiosToTheFirstTarget() {
    assertThat(Markdown.table(ROWS, Charts.Style.BARS))
        .isEqualTo(
            """
            | Load | Target | requests/s | × first | CPU µs/request | × first |
            |---|---|---:|---:|---:|---:|
            | get | nutcracker | 80000 (79999–80001) | 1.00 | 10.00 | 1.00 |
            | get | penstock | 100000 (99999–100001) | 1.25 | 5.00 | 0.50 |
            | get | direct | 160000 (159999–160001) | 2.00 | – | – |
            """);
  }

  @Test
  void stepsOfALineAreComparedWithItsFirst() {
    List<Row> steps =
        List.of(row("1", "penstock", 100, Map.of()), row("2", "penstock", 150, Map.of()));

    assertThat(Markdown.table(steps, Charts.Style.LINES))
        .contains("| 2 | penstock | 150 (149–151) | 1.50 |");
  }

  @Test
  void aResultIsJsonAPageAndCharts(@TempDir Path folder) throws IOException {
    Map<String, String> facts = Map.of("Commit", "`abc-dirty`", "Command line", "`a|b`");
    Report.write(
        folder,
        new Result("suite", true, facts, List.of("nginx left out"), ROWS),
        Charts.Style.BARS);

    JsonNode json = JsonMapper.shared().readTree(Files.readString(folder.resolve("result.json")));
    assertThat(json.at("/rows/1/measures/THROUGHPUT/median").asDouble()).isEqualTo(100_000);
    assertThat(json.at("/facts/Commit").asString()).isEqualTo("`abc-dirty`");
    assertThat(Files.readString(folder.resolve("README.md")))
        .contains(
            "A smoke run",
            "| Commit | `abc-dirty` |",
            "| Command line | `a\\|b` |",
            "- nginx left out",
            "![single-cpu.svg]");
    assertThat(folder.resolve("single-throughput.svg"))
        .content()
        .startsWith("<?xml")
        .contains("<svg");
    assertThat(folder.resolve("single-cpu.svg")).exists();
  }

  private static Row row(String load, String target, double median, Map<Measure, Summary> more) {
    Map<Measure, Summary> measures = new TreeMap<>(more);
    measures.put(Measure.THROUGHPUT, new Summary(median, median - 1, median + 1, 3));
    return new Row("single", load, target, measures);
  }
}
