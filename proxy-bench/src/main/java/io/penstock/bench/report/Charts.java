package io.penstock.bench.report;

import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import java.awt.Color;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** SVG charts: loads along the axis, one series for each target. */
public final class Charts {

  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int ROTATION = 30;

  private Charts() {}

  /** The kind of a chart. */
  public enum Style {
    /** Bars of all targets side by side. */
    BARS,
    /** Bars of their latencies side by side. */
    LATENCIES,
    /** Lines over loads that are steps of one number. */
    LINES,
    /** No charts. */
    NONE;

    private List<Measure> measures() {
      return switch (this) {
        case NONE -> List.of();
        case BARS -> List.of(Measure.THROUGHPUT, Measure.P99, Measure.CPU);
        case LATENCIES -> List.of(Measure.P50, Measure.P99, Measure.P999);
        case LINES ->
            List.of(Measure.THROUGHPUT, Measure.P99, Measure.CPU, Measure.IDLE_CONNECTION_MEMORY);
      };
    }

    private CategorySeriesRenderStyle drawn() {
      return this == LINES ? CategorySeriesRenderStyle.Line : CategorySeriesRenderStyle.Bar;
    }
  }

  /** Writes a chart for each measure of a group and returns the file names. */
  static List<String> write(Path folder, String group, List<Row> rows, Style style)
      throws IOException {
    List<String> files = new ArrayList<>();
    for (Measure measure : style.measures()) {
      if (rows.stream().anyMatch(row -> row.measures().containsKey(measure))) {
        String file = (group + " " + measure.name()).toLowerCase(Locale.ROOT);
        String name = file.replaceAll("[^a-z0-9]+", "-") + ".svg";
        Files.writeString(folder.resolve(name), svg(chart(group, rows, measure, style)));
        files.add(name);
      }
    }
    return files;
  }

  private static CategoryChart chart(String group, List<Row> rows, Measure measure, Style style) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(group + ": " + measure.title())
            .yAxisTitle(measure.title())
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisDecimalPattern("#,##0.##");
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setOverlapped(style == Style.LINES);
    chart.getStyler().setDefaultSeriesRenderStyle(style.drawn());
    List<String> loads = distinct(rows.stream().map(Row::load).toList());
    if (loads.size() > 5) {
      chart.getStyler().setXAxisLabelRotation(ROTATION);
    }
    for (String target : distinct(rows.stream().map(Row::target).toList())) {
      List<@Nullable Double> values = new ArrayList<>();
      for (String load : loads) {
        values.add(value(rows, load, target, measure));
      }
      if (values.stream().anyMatch(value -> value != null)) {
        chart.addSeries(target, loads, values);
      }
    }
    return chart;
  }

  /**
   * XChart writes letters as outlines with six decimals, which are most of the file. One decimal is
   * enough.
   */
  static String svg(CategoryChart chart) throws IOException {
    byte[] svg = ChartEncoder.getBytes(chart, "svg");
    return new String(svg, StandardCharsets.UTF_8).replaceAll("(\\.\\d)\\d+", "$1");
  }

  private static @Nullable Double value(
      List<Row> rows, String load, String target, Measure measure) {
    for (Row row : rows) {
      if (row.load().equals(load) && row.target().equals(target)) {
        @Nullable Summary summary = row.measures().get(measure);
        return summary == null ? null : (Double) summary.median();
      }
    }
    return null;
  }

  private static List<String> distinct(List<String> names) {
    Set<String> distinct = new LinkedHashSet<>(names);
    return List.copyOf(distinct);
  }
}
