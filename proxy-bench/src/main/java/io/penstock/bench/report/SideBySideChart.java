package io.penstock.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * One chart of a result of {@code side_by_side.py}: the throughput and the CPU per request of one
 * target, each as a multiple of nutcracker's, load by load.
 */
public final class SideBySideChart {

  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int ROTATION = 30;
  private static final int THROUGHPUT = 3;
  private static final int CPU = 5;

  /** What readers call the loads of {@code sidebyside_harness.py}. */
  private static final Map<String, String> NAMES =
      Map.of(
          "get-c50", "GET",
          "get-c50-P16", "GET -P 16",
          "set-c50-P16", "SET -P 16",
          "get-c500", "GET, 500 conn.",
          "mset-c50", "MSET of 10",
          "set-16k", "SET 16 KiB",
          "get-16k", "GET 16 KiB",
          "lrange600", "LRANGE 600",
          "get-noka", "GET, new conn.",
          "get-c1", "GET, 1 conn.");

  private record Ratios(String load, double throughput, double cpu) {}

  private SideBySideChart() {}

  /**
   * Returns the chart as SVG.
   *
   * @param result a Markdown file of {@code side_by_side.py}
   * @param target the name in its second column
   * @throws IllegalStateException if the file has no row of this target
   */
  public static String svg(Path result, String target) throws IOException {
    List<Ratios> rows = rows(result, target);
    if (rows.isEmpty()) {
      throw new IllegalStateException(result + " has no row of the target " + target);
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("Penstock compared with twemproxy (nutcracker = 1)")
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNE);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisDecimalPattern("0.0 ×");
    chart.getStyler().setXAxisLabelRotation(ROTATION);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    List<String> loads = rows.stream().map(Ratios::load).toList();
    chart.addSeries("throughput", loads, rows.stream().map(Ratios::throughput).toList());
    chart.addSeries("CPU per request", loads, rows.stream().map(Ratios::cpu).toList());
    chart
        .addSeries("nutcracker", loads, Collections.nCopies(loads.size(), 1.0))
        .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Line)
        .setMarker(SeriesMarkers.NONE)
        .setLineColor(Color.DARK_GRAY);
    return Charts.svg(chart);
  }

  private static List<Ratios> rows(Path result, String target) throws IOException {
    List<Ratios> rows = new ArrayList<>();
    for (String line : Files.readAllLines(result)) {
      String[] cells = line.replaceAll("^\\| *| *\\|$", "").split(" *\\| *");
      if (cells.length > CPU && cells[1].equals(target)) {
        rows.add(
            new Ratios(
                NAMES.getOrDefault(cells[0], cells[0]),
                Double.parseDouble(cells[THROUGHPUT]),
                Double.parseDouble(cells[CPU])));
      }
    }
    return rows;
  }
}
