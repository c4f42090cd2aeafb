package io.penstock.bench.measure;

import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One measure over all rounds.
 *
 * @param median the middle value; between two, their mean
 * @param rounds how many values there were
 */
public record Summary(double median, double min, double max, int rounds) {

  /** Of at least one value. */
  public static Summary of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("no values, no summary");
    }
    double upper = sorted[sorted.length / 2];
    double lower = sorted[(sorted.length - 1) / 2];
    return new Summary((lower + upper) / 2, sorted[0], sorted[sorted.length - 1], sorted.length);
  }

  /** Of each measure that any of the samples has. */
  public static Map<Measure, Summary> each(List<Sample> samples) {
    Map<Measure, Summary> summaries = new EnumMap<>(Measure.class);
    for (Measure measure : Measure.values()) {
      List<Double> values =
          samples.stream()
              .map(Sample::values)
              .filter(sample -> sample.containsKey(measure))
              .map(sample -> sample.get(measure))
              .toList();
      if (!values.isEmpty()) {
        summaries.put(measure, of(values));
      }
    }
    return summaries;
  }
}
