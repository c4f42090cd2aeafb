package io.penstock.server.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

/** Collects the data points of one metric, a counter or a gauge. */
sealed interface Family {

  /** Returns a counter; Prometheus appends {@code _total} to its name. */
  static Family counter(String name, String help) {
    return new Counter(CounterSnapshot.builder().name(name).help(help));
  }

  static Family gauge(String name, String help) {
    return new Gauge(GaugeSnapshot.builder().name(name).help(help));
  }

  /**
   * Adds one value.
   *
   * @param labels names and values in turn
   */
  Family add(double value, String... labels);

  MetricSnapshot snapshot();

  /** A value that only grows. */
  record Counter(CounterSnapshot.Builder builder) implements Family {

    @Override
    public Family add(double value, String... labels) {
      builder.dataPoint(
          CounterDataPointSnapshot.builder().value(value).labels(Labels.of(labels)).build());
      return this;
    }

    @Override
    public MetricSnapshot snapshot() {
      return builder.build();
    }
  }

  /** A value that grows and shrinks. */
  record Gauge(GaugeSnapshot.Builder builder) implements Family {

    @Override
    public Family add(double value, String... labels) {
      builder.dataPoint(
          GaugeDataPointSnapshot.builder().value(value).labels(Labels.of(labels)).build());
      return this;
    }

    @Override
    public MetricSnapshot snapshot() {
      return builder.build();
    }
  }
}
