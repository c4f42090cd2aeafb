package io.penstock.server.metrics;

import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.Kind;
import io.penstock.core.observe.CopyJobStatus.State;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Exports resyncs and comparisons of copies. Reads snapshots and does not query event loops. */
final class CopyJobCollector implements MultiCollector {

  private final Supplier<List<View>> jobs;

  CopyJobCollector(Supplier<List<View>> jobs) {
    this.jobs = jobs;
  }

  /** The last job of a kind of one copy. */
  record View(String upstream, String copy, CopyJobStatus status) {}

  @Override
  public MetricSnapshots collect() {
    var resyncs =
        new Families(
            Metric.MIRROR_RESYNC_STATE,
            Metric.MIRROR_RESYNC_KEYS,
            Metric.MIRROR_RESYNC_ESTIMATE,
            Metric.MIRROR_RESYNC_FAILED,
            "failed");
    var comparisons =
        new Families(
            Metric.MIRROR_COMPARE_STATE,
            Metric.MIRROR_COMPARE_KEYS,
            Metric.MIRROR_COMPARE_ESTIMATE,
            Metric.MIRROR_COMPARE_DIFFERING,
            "differing");
    for (View view : jobs.get()) {
      (view.status().kind() == Kind.RESYNC ? resyncs : comparisons).add(view);
    }
    return new MetricSnapshots(
        Stream.concat(resyncs.snapshots(), comparisons.snapshots()).toList());
  }

  /** The metrics of one kind of job. */
  private static final class Families {

    private final Family state;
    private final Family keys;
    private final Family estimate;
    private final Family faults;
    private final String faultName; // in the results

    Families(Metric state, Metric keys, Metric estimate, Metric faults, String faultName) {
      this.state = state.family();
      this.keys = keys.family();
      this.estimate = estimate.family();
      this.faults = faults.family();
      this.faultName = faultName;
    }

    void add(View view) {
      CopyJobStatus status = view.status();
      String[] labels = {"upstream", view.upstream(), "copy", view.copy()};
      for (State each : State.values()) {
        state.add(
            status.state() == each ? 1 : 0,
            "upstream",
            view.upstream(),
            "copy",
            view.copy(),
            "state",
            each.name().toLowerCase(Locale.ROOT));
      }
      keys.add((double) status.keys(), labels);
      estimate.add((double) status.estimate(), labels);
      faults.add((double) status.count(faultName), labels);
    }

    Stream<MetricSnapshot> snapshots() {
      return Stream.of(state, keys, estimate, faults)
          .map(Family::snapshot)
          .filter(snapshot -> !snapshot.getDataPoints().isEmpty());
    }
  }
}
