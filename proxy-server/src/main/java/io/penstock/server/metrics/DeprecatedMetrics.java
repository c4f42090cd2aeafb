package io.penstock.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Old names of metrics, exported beside the new ones until the next release: then this class goes,
 * and with it its uses in {@link MetricsConfiguration}.
 */
final class DeprecatedMetrics {

  private DeprecatedMetrics() {}

  /**
   * One old name.
   *
   * @param baseName without {@code _total}
   * @param now the metric that replaces it; of the same type, with the same label names
   * @param oldValues old values of labels by the new ones, where they differ
   */
  record OldName(String baseName, Metric now, Map<String, String> oldValues) {

    private OldName(String baseName, Metric now) {
      this(baseName, now, Map.of());
    }

    /** Returns the name that Prometheus shows. */
    String exportedName() {
      return now.type().exportedName(baseName);
    }

    String help() {
      return "Deprecated: use " + now.exportedName() + ".";
    }

    private Family family() {
      return now.type().family(baseName, help());
    }

    private String[] oldLabels(Labels labels) {
      List<String> old = new ArrayList<>();
      for (Label label : labels) {
        old.add(label.getName());
        old.add(oldValues.getOrDefault(label.getValue(), label.getValue()));
      }
      return old.toArray(String[]::new);
    }
  }

  private static final List<OldName> OLD_NAMES =
      List.of(
          new OldName("penstock_client_connections_refused", Metric.CLIENT_CONNECTIONS_REJECTED),
          new OldName(
              "penstock_client_connections_closed", Metric.CLIENT_CONNECTIONS_CLOSED_BY_LIMIT),
          new OldName("penstock_held_requests", Metric.FAILOVER_HOLD_REQUESTS),
          new OldName(
              "penstock_hold_outcomes",
              Metric.FAILOVER_HOLD_OUTCOMES,
              Map.of("failed", "given_up", "disconnected", "dropped", "rejected", "refused")),
          new OldName("penstock_node_errors", Metric.NODE_CONNECTION_ERRORS),
          new OldName("penstock_redirects", Metric.RETRYABLE_ERRORS),
          new OldName("penstock_figures_age_seconds", Metric.STATS_AGE),
          new OldName("penstock_management_refused", Metric.MANAGEMENT_REQUESTS_REJECTED));

  static List<OldName> oldNames() {
    return OLD_NAMES;
  }

  /** Returns a collector of the same metrics, and of those with old names under these as well. */
  static MultiCollector withOldNames(MultiCollector collector) {
    return () -> {
      List<MetricSnapshot> all = new ArrayList<>();
      for (MetricSnapshot snapshot : collector.collect()) {
        all.add(snapshot);
        for (OldName old : OLD_NAMES) {
          if (old.now().baseName().equals(snapshot.getMetadata().getName())) {
            all.add(renamed(snapshot, old));
          }
        }
      }
      return new MetricSnapshots(all);
    };
  }

  /** Returns a collector of Micrometer's counters that have old names, under these. */
  static MultiCollector ofMeters(MeterRegistry registry) {
    return () -> {
      List<MetricSnapshot> all = new ArrayList<>();
      for (OldName old : OLD_NAMES) {
        Family family = old.family();
        boolean any = false;
        for (FunctionCounter counter : registry.find(old.now().meterName()).functionCounters()) {
          List<String> labels = new ArrayList<>();
          counter
              .getId()
              .getTags()
              .forEach(tag -> {
                labels.add(tag.getKey());
                labels.add(tag.getValue());
              });
          family.add(counter.count(), labels.toArray(String[]::new));
          any = true;
        }
        if (any) {
          all.add(family.snapshot());
        }
      }
      return new MetricSnapshots(all);
    };
  }

  private static MetricSnapshot renamed(MetricSnapshot snapshot, OldName old) {
    Family family = old.family();
    for (DataPointSnapshot point : snapshot.getDataPoints()) {
      family.add(value(point), old.oldLabels(point.getLabels()));
    }
    return family.snapshot();
  }

  private static double value(DataPointSnapshot point) {
    return switch (point) {
      case CounterSnapshot.CounterDataPointSnapshot counter -> counter.getValue();
      case GaugeSnapshot.GaugeDataPointSnapshot gauge -> gauge.getValue();
      default -> throw new IllegalStateException("no counter and no gauge: " + point);
    };
  }
}
