package io.penstock.bench.command;

import io.penstock.bench.report.SideBySideChart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Draws the chart of docs/performance.md from a result of {@code side_by_side.py}. */
@Command(
    name = "chart",
    description = "Draws a result of side_by_side.py as SVG: ratios to nutcracker.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class ChartCommand implements Callable<Integer> {

  @Parameters(index = "0", description = "The Markdown file that side_by_side.py wrote.")
  Path result;

  @Parameters(index = "1", description = "The SVG file to write.")
  Path chart;

  @Option(
      names = "--target",
      defaultValue = "penstock-io_uring",
      description = "The target to draw (${DEFAULT-VALUE}).")
  String target;

  @Override
  public Integer call() throws IOException {
    Files.writeString(chart, SideBySideChart.svg(result, target));
    return 0;
  }
}
