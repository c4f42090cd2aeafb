package io.penstock.bench.measure;

import io.penstock.bench.harness.Notes;
import io.penstock.bench.harness.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Sends each load to all targets in turn, round by round, so that a machine whose speed drifts
 * treats all alike. Each round begins with another target.
 *
 * @param warm rounds before the first that counts
 * @param measured rounds that count
 */
public record Rounds(int warm, int measured, Notes notes) {

  /** Measures printed while it runs; the report has all. */
  private static final List<Measure> SHOWN = List.of(Measure.THROUGHPUT, Measure.P99, Measure.CPU);

  /** Returns a row for each load and each target that did not fail; the others leave a note. */
  public List<Row> run(List<? extends Load> loads, List<? extends Target> targets)
      throws InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (Load load : loads) {
      for (Map.Entry<Target, List<Sample>> entry : samples(load, targets).entrySet()) {
        Target target = entry.getKey();
        Map<Measure, Summary> measures = Summary.each(entry.getValue());
        rows.add(new Row(load.group(), load.name(), target.name(), measures));
        notes.progress(
            load.group() + " | " + load.name() + " | " + target.name() + " |" + line(measures));
      }
    }
    return rows;
  }

  private Map<Target, List<Sample>> samples(Load load, List<? extends Target> targets)
      throws InterruptedException {
    Map<Target, List<Sample>> samples = new LinkedHashMap<>();
    for (Target target : targets) {
      if (load.suits(target) && succeeds(load, target, () -> load.prepare(target))) {
        samples.put(target, new ArrayList<>());
      }
    }
    for (int round = -warm; round < measured; round++) {
      for (Target target : rotated(List.copyOf(samples.keySet()), round + warm)) {
        List<Sample> found = new ArrayList<>();
        if (!succeeds(load, target, () -> found.add(sample(load, target)))) {
          samples.remove(target);
        } else if (round >= 0) {
          Objects.requireNonNull(samples.get(target)).addAll(found);
        }
      }
    }
    return samples;
  }

  private static Sample sample(Load load, Target target) throws IOException, InterruptedException {
    Meter meter = new Meter(target);
    Sample sample = load.run(target, meter);
    return sample.with(meter.measures());
  }

  private boolean succeeds(Load load, Target target, Notes.Step step) throws InterruptedException {
    return notes.succeeds(load.group() + ", " + load.name() + ": " + target.name(), step);
  }

  /** Returns the list rotated. */
  static <T> List<T> rotated(List<T> list, int by) {
    List<T> turned = new ArrayList<>(list);
    Collections.rotate(turned, -by);
    return turned;
  }

  private static String line(Map<Measure, Summary> measures) {
    StringBuilder line = new StringBuilder();
    for (Measure measure : SHOWN) {
      Summary summary = measures.get(measure);
      if (summary != null) {
        line.append(' ').append(measure.show(summary.median())).append(' ').append(measure.title());
      }
    }
    return line.toString();
  }
}
