package io.penstock.bench.load;

import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Sample;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Number and latencies of replies. One thread at a time.
 *
 * @param latencies in nanoseconds, up to a minute; one entry for each operation
 */
record Tally(Histogram latencies, long requests) {

  private static final long LONGEST = TimeUnit.MINUTES.toNanos(1);
  private static final double NANOS_PER_MILLI = 1e6;

  /** Three digits are kept of each latency. */
  static Histogram histogram() {
    return new Histogram(LONGEST, 3);
  }

  /** Counts operations that took so long. */
  static void record(Histogram latencies, long nanos, long operations) {
    latencies.recordValueWithCount(Math.clamp(nanos, 0, LONGEST), operations);
  }

  static Tally empty() {
    return new Tally(histogram(), 0);
  }

  Tally plus(Tally other) {
    Histogram both = latencies.copy();
    both.add(other.latencies);
    return new Tally(both, requests + other.requests);
  }

  Sample sample(long nanos) {
    if (requests == 0) {
      throw new LoadFailure("no reply came within " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }
    return Sample.EMPTY
        .with(Measure.THROUGHPUT, 1e9 * requests / nanos)
        .with(Measure.MEAN, latencies.getMean() / NANOS_PER_MILLI)
        .with(Measure.P50, latencies.getValueAtPercentile(50) / NANOS_PER_MILLI)
        .with(Measure.P99, latencies.getValueAtPercentile(99) / NANOS_PER_MILLI)
        .with(Measure.P999, latencies.getValueAtPercentile(99.9) / NANOS_PER_MILLI);
  }
}
