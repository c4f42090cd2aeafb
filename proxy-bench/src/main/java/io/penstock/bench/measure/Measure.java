package io.penstock.bench.measure;

import java.util.Locale;

/** What is measured, in the order of a table's columns. */
public enum Measure {
  THROUGHPUT("requests/s", "%.0f"),
  OFFERED("offered/s", "%.0f"),
  REJECTED("rejected/s", "%.0f"),
  LARGE_VALUES("values of 1 MiB/s", "%.1f"),
  MEAN("mean ms", "%.3f"),
  P50("p50 ms", "%.3f"),
  P99("p99 ms", "%.3f"),
  P999("p99.9 ms", "%.3f"),
  CPU("CPU µs/request", "%.2f"),
  LOAD_CPU("CPU of the load µs/request", "%.2f"),
  SERVERS_CPU("CPU of the servers µs/request", "%.2f"),
  IDLE("processors idle", "%.2f"),
  WITHHELD("processors withheld", "%.2f"),
  VOLUNTARY_SWITCHES("voluntary switches/1000 requests", "%.1f"),
  INVOLUNTARY_SWITCHES("involuntary switches/1000 requests", "%.2f"),
  PEAK_MEMORY("peak RSS MiB", "%.0f"),
  IDLE_CONNECTION_MEMORY("RSS KiB/idle connection", "%.1f");

  private final String title;
  private final String format;

  Measure(String title, String format) {
    this.title = title;
    this.format = format;
  }

  /** Its name with the unit. */
  public String title() {
    return title;
  }

  /** A value as a table shows it, without the unit. */
  public String show(double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
