package io.penstock.bench.report;

import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import java.awt.Color;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * One chart of a result of {@code suite}: the throughput and the CPU per request of one target,
 * each as a multiple of another's, load by load.
 */
public final class RatioChart {

  private static final int WIDTH = 900;
  private static final int HEIGHT = 420;
  private static final int ROTATION = 30;

  private record Ratios(String load, double throughput, double cpu) {}

  private RatioChart() {}

  /**
   * Returns the chart as SVG.
   *
   * @param target the one that is drawn
   * @param base the one that it is compared with
   * @throws IllegalStateException if no load has figures of both
   */
  public static String svg(Result result, String target, String base) throws IOException {
    List<Ratios> ratios = ratios(result.rows(), target, base);
    if (ratios.isEmpty()) {
      throw new IllegalStateException(
          "no load of the result has figures of both %s and %s".formatted(target, base));
    }
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("%s (%s = 1)".formatted(target, base))
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.InsideNE);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisDecimalPattern("0.0 ×");
    chart.getStyler().setXAxisLabelRotation(ROTATION);
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    List<String> loads = ratios.stream().map(Ratios::load).toList();
    chart.addSeries("throughput", loads, ratios.stream().map(Ratios::throughput).toList());
    chart.addSeries("CPU per request", loads, ratios.stream().map(Ratios::cpu).toList());
    chart
        .addSeries(base, loads, Collections.nCopies(loads.size(), 1.0))
        .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Line)
        .setMarker(SeriesMarkers.NONE)
        .setLineColor(Color.DARK_GRAY);
    return Charts.svg(chart);
  }

  private static List<Ratios> ratios(List<Row> rows, String target, String base) {
    Map<List<String>, Row> bases = new HashMap<>();
    rows.stream()
        .filter(row -> row.target().equals(base))
        .forEach(row -> bases.put(List.of(row.group(), row.load()), row));
    List<Ratios> found = new ArrayList<>();
    for (Row row : rows) {
      @Nullable Row other = bases.get(List.of(row.group(), row.load()));
      if (row.target().equals(target) && other != null) {
        @Nullable Double throughput = ratio(row, other, Measure.THROUGHPUT);
        @Nullable Double cpu = ratio(row, other, Measure.CPU);
        if (throughput != null && cpu != null) {
          found.add(new Ratios(row.load(), throughput, cpu));
        }
      }
    }
    return found;
  }

  private static @Nullable Double ratio(Row row, Row base, Measure measure) {
    @Nullable Summary own = row.measures().get(measure);
    @Nullable Summary others = base.measures().get(measure);
    return own == null || others == null || others.median() == 0
        ? null
        : (Double) (own.median() / others.median());
  }
}
