package io.penstock.core.shadow;

import io.penstock.core.observe.DurationBuckets;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.observe.ShadowStats.Durations;
import io.penstock.core.observe.ShadowStats.Skipped;
import io.penstock.core.spec.CommandSpec;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts the shadow reads of one event loop. Confined to it. */
final class ShadowCounts {

  private long requests;
  private long same;
  private long settled;
  private final Map<String, Long> differing = new TreeMap<>();
  private final Map<Skipped, Long> skipped = new EnumMap<>(Skipped.class);
  private final Map<String, Long> errors = new TreeMap<>();
  private final Histogram own = new Histogram();
  private final Histogram shadow = new Histogram();

  /** Durations of one side. */
  private static final class Histogram {

    private final long[] buckets = new long[DurationBuckets.BOUNDED + 1];
    private long totalNanos;

    void add(long nanos) {
      buckets[DurationBuckets.indexOf(nanos)]++;
      totalNanos += nanos;
    }

    Durations durations() {
      return new Durations(buckets.clone(), totalNanos);
    }
  }

  void countRequest() {
    requests++;
  }

  void countSame() {
    same++;
  }

  void countSettled() {
    settled++;
  }

  void countDiffering(CommandSpec spec) {
    differing.merge(spec.displayName(), 1L, Long::sum);
  }

  void count(Skipped reason) {
    skipped.merge(reason, 1L, Long::sum);
  }

  /** Counts a read that the shadow did not answer as it should. */
  void countError(String kind) {
    errors.merge(kind, 1L, Long::sum);
  }

  void addOwnDuration(long nanos) {
    own.add(nanos);
  }

  void addShadowDuration(long nanos) {
    shadow.add(nanos);
  }

  ShadowStats stats() {
    return new ShadowStats(
        requests,
        same,
        settled,
        new TreeMap<>(differing),
        new TreeMap<>(skipped),
        new TreeMap<>(errors),
        own.durations(),
        shadow.durations());
  }
}
