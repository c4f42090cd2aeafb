package io.penstock.core.observe;

import io.penstock.core.upstream.RetryablePrefix;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * One event loop's figures of the hot path: plain arrays by command id, no atomics. Written and
 * read on that loop only.
 */
public final class LoopCounters {

  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final RetryablePrefix[] REDIRECTIONS = RetryablePrefix.values();
  private static final int BUCKETS = DurationBuckets.BOUNDED + 1;

  /** As many kinds of errors are told apart; Redis's own limit. */
  private static final int MOST_ERRORS = 128;

  private long[] outcomes;
  private long[] buckets;
  private long[] nanos;
  private final long[] redirects = new long[REDIRECTIONS.length];
  private long messages;
  private final long[] countClose = new long[CloseReason.values().length];
  private final Map<String, Long> errors = new HashMap<>();
  private long authenticationFailures;
  private long received;
  private long sent;
  private long recordLag;
  private long maxLag;

  /** For ids from 0 to {@code commands - 1}. */
  public LoopCounters(int commands) {
    outcomes = new long[commands * OUTCOMES.length];
    buckets = new long[commands * BUCKETS];
    nanos = new long[commands];
  }

  /** Makes room for ids up to {@code commands - 1}; counts stay. */
  public void grow(int commands) {
    if (commands > nanos.length) {
      outcomes = Arrays.copyOf(outcomes, commands * OUTCOMES.length);
      buckets = Arrays.copyOf(buckets, commands * BUCKETS);
      nanos = Arrays.copyOf(nanos, commands);
    }
  }

  /** One command ended {@code duration} nanoseconds after it arrived. */
  public void record(int command, Outcome outcome, long duration) {
    outcomes[command * OUTCOMES.length + outcome.ordinal()]++;
    buckets[command * BUCKETS + DurationBuckets.indexOf(duration)]++;
    nanos[command] += duration;
  }

  public void countRedirect(RetryablePrefix kind) {
    redirects[kind.ordinal()]++;
  }

  /** A message went to one client. */
  public void countMessage() {
    messages++;
  }

  /** A client was closed for a limit. */
  public void countClose(CloseReason reason) {
    countClose[reason.ordinal()]++;
  }

  /** A client gave wrong credentials. */
  public void countAuthenticationFailure() {
    authenticationFailures++;
  }

  public long authenticationFailures() {
    return authenticationFailures;
  }

  public long messages() {
    return messages;
  }

  public long closes(CloseReason reason) {
    return countClose[reason.ordinal()];
  }

  /** A client was given an error reply whose first word is {@code prefix}. */
  public void countError(String prefix) {
    if (errors.size() < MOST_ERRORS || errors.containsKey(prefix)) {
      errors.merge(prefix, 1L, Long::sum);
    }
  }

  /** So many bytes came from clients. */
  public void received(int bytes) {
    received += bytes;
  }

  /** So many bytes had gone to a client when it left. */
  public void sent(long bytes) {
    sent += bytes;
  }

  /** The loop's tick came {@code nanos} later than planned. */
  public void recordLag(long nanosLate) {
    recordLag = nanosLate;
    maxLag = Math.max(maxLag, nanosLate);
  }

  public long count(int command, Outcome outcome) {
    return outcomes[command * OUTCOMES.length + outcome.ordinal()];
  }

  public long bucket(int command, int bucket) {
    return buckets[command * BUCKETS + bucket];
  }

  public long totalNanos(int command) {
    return nanos[command];
  }

  public long redirects(RetryablePrefix kind) {
    return redirects[kind.ordinal()];
  }

  /** Commands so far, without those that were refused. */
  public long total() {
    long total = 0;
    for (int i = 0; i < outcomes.length; i++) {
      total += i % OUTCOMES.length == Outcome.REJECTED.ordinal() ? 0 : outcomes[i];
    }
    return total;
  }

  /** Error replies by their first word; a copy. */
  public Map<String, Long> errors() {
    return Map.copyOf(errors);
  }

  /** Bytes that came from clients. */
  public long received() {
    return received;
  }

  /** Bytes that went to clients that have left. */
  public long sent() {
    return sent;
  }

  public long lagNanos() {
    return recordLag;
  }

  public long maxLagNanos() {
    return maxLag;
  }
}
