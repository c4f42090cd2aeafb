package io.penstock.bench.measure;

import java.util.Map;
import java.util.TreeMap;

/**
 * One line of a result.
 *
 * @param group the chart it belongs to
 * @param load its place on the chart's axis
 * @param target its colour in the chart
 */
public record Row(String group, String load, String target, Map<Measure, Summary> measures) {

  public Row {
    measures = new TreeMap<>(measures);
  }

  /** Swaps load and target, for groups whose targets are the steps of the axis. */
  public Row transposed() {
    String step = target;
    String line = load;
    return new Row(group, step, line, measures);
  }
}
