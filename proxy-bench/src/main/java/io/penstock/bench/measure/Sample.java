package io.penstock.bench.measure;

import java.util.EnumMap;
import java.util.Map;

/** The measures of one run of a load; what could not be measured is absent. Immutable. */
public record Sample(Map<Measure, Double> values) {

  public static final Sample EMPTY = new Sample(Map.of());

  public Sample {
    values = Map.copyOf(values);
  }

  /** With one more value. */
  public Sample with(Measure measure, double value) {
    return with(Map.of(measure, value));
  }

  /** With more values, which replace those of the same measures. */
  public Sample with(Map<Measure, Double> more) {
    Map<Measure, Double> all = new EnumMap<>(Measure.class);
    all.putAll(values);
    all.putAll(more);
    return new Sample(all);
  }
}
