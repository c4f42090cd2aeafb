package io.penstock.core.observe;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of shadow reads: reads of clients that went to another upstream too. Counters only grow.
 *
 * @param requests reads that were sent to the shadow too; each is in one of the following counts
 *     when it has ended, unless the shadow was removed meanwhile
 * @param same whose replies said the same at once
 * @param settled whose replies differed, and said the same when both were read again
 * @param differing whose replies still differed then, by the name of the command
 * @param skipped reads of the share that were not sent, or not compared, by {@link Skipped}
 * @param errors reads that the shadow did not answer, or answered with an error of its own, by kind
 * @param ownDurations of the replies of the upstream that clients read
 * @param shadowDurations of the replies of the shadow
 */
public record ShadowStats(
    long requests,
    long same,
    long settled,
    Map<String, Long> differing,
    Map<Skipped, Long> skipped,
    Map<String, Long> errors,
    Durations ownDurations,
    Durations shadowDurations) {

  /** None. */
  public static final ShadowStats NONE =
      new ShadowStats(0, 0, 0, Map.of(), Map.of(), Map.of(), Durations.NONE, Durations.NONE);

  /** Why a read of the share was not sent to the shadow, or its replies not compared. */
  public enum Skipped {
    /** Its client has selected another database. */
    DATABASE,
    /** Its keys are in several partitions of the shadow. */
    CROSS_SLOT,
    /** The request is large. */
    LARGE,
    /** As many requests as may be in flight were, or the node of the shadow does not keep up. */
    FULL,
    /** The client's upstream did not answer it. */
    UNANSWERED,
    /** Its replies differed, and too many others were being read again. */
    NOT_REPEATED,
    /** Its replies differed, and the value changed each time that it was read again. */
    CHANGING;

    /** The value of a metric's label. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * A histogram of durations.
   *
   * @param bucketCounts by {@link DurationBuckets}, not cumulative
   * @param totalNanos sum of the durations in nanoseconds
   */
  public record Durations(long[] bucketCounts, long totalNanos) {

    /** None. */
    public static final Durations NONE = new Durations(new long[DurationBuckets.BOUNDED + 1], 0);

    Durations plus(Durations other) {
      long[] sums = bucketCounts.clone();
      for (int i = 0; i < sums.length; i++) {
        sums[i] += other.bucketCounts[i];
      }
      return new Durations(sums, totalNanos + other.totalNanos);
    }
  }

  /** Returns whether there has been a shadow. */
  public boolean isEmpty() {
    return requests == 0 && skipped.isEmpty();
  }

  /** Returns how many reads differed, of all commands. */
  public long allDiffering() {
    return sum(differing);
  }

  /** Returns how many reads were skipped, for all reasons. */
  public long allSkipped() {
    return sum(skipped);
  }

  /** Returns how many reads failed, of all kinds. */
  public long allErrors() {
    return sum(errors);
  }

  private static long sum(Map<?, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the sum with other reads. */
  public ShadowStats plus(ShadowStats other) {
    return new ShadowStats(
        requests + other.requests,
        same + other.same,
        settled + other.settled,
        sum(differing, other.differing),
        sum(skipped, other.skipped),
        sum(errors, other.errors),
        ownDurations.plus(other.ownDurations),
        shadowDurations.plus(other.shadowDurations));
  }

  private static <K extends Comparable<K>> Map<K, Long> sum(Map<K, Long> one, Map<K, Long> other) {
    Map<K, Long> sums = new TreeMap<>(one);
    other.forEach((key, count) -> sums.merge(key, count, Long::sum));
    return sums;
  }
}
