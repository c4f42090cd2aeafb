package io.penstock.bench.command;

import io.penstock.bench.report.RatioChart;
import io.penstock.bench.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Draws the chart of docs/performance.md from a result of {@code suite}. */
@Command(
    name = "chart",
    description = "Draws a result of suite as SVG: one target as multiples of another.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class ChartCommand implements Callable<Integer> {

  @Parameters(index = "0", description = "The folder that suite wrote.")
  Path result;

  @Parameters(index = "1", description = "The SVG file to write.")
  Path chart;

  @Option(
      names = "--target",
      defaultValue = "penstock-io_uring-async",
      description = "The target to draw (${DEFAULT-VALUE}).")
  String target;

  @Option(
      names = "--base",
      defaultValue = "nutcracker",
      description = "What it is compared with (${DEFAULT-VALUE}).")
  String base;

  @Override
  public Integer call() throws IOException {
    Files.writeString(chart, RatioChart.svg(Report.read(result), target, base));
    return 0;
  }
}
