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
  IDLE_CONNECTION_MEMORY("RSS KiB/idle connection", "%.1f"),
  START("s until the first reply", "%.2f"),
  SERVED("requests so far", "%.0f"),
  HEAP("heap MiB after a collection", "%.1f"),
  DIRECT_MEMORY("direct memory MiB", "%.1f"),
  RESIDENT("RSS MiB", "%.0f"),
  THREADS("threads", "%.0f"),
  FILES("open files", "%.0f"),
  SERVER_CONNECTIONS("connections to the server", "%.0f"),
  CORE_SHARE("CPU % of a core", "%.1f"),
  CONFIRMED("clients confirmed", "%.0f"),
  ANSWERED("s until all are answered", "%.1f"),
  GONE("s until the nodes have none", "%.1f"),
  PSUBSCRIBE_TIME("nodes' PSUBSCRIBE s", "%.2f"),
  PUNSUBSCRIBE_TIME("nodes' PUNSUBSCRIBE s", "%.2f"),
  NODES_CPU("nodes' CPU s", "%.2f"),
  OTHER_P50("another client's p50 ms", "%.1f"),
  OTHER_WORST("its worst ms", "%.0f"),
  OTHER_PSUBSCRIBE("its worst PSUBSCRIBE ms", "%.0f"),
  OTHER_ERRORS("its errors", "%.0f"),
  PATTERN_CONNECTIONS("connections of a node with patterns", "%.0f"),
  MOST_PATTERNS("most patterns of a connection", "%.0f"),
  EPOCHS("epochs begun", "%.0f");

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
