package io.penstock.core.observe;

import io.penstock.core.upstream.RetryablePrefix;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The counters of one event loop for the hot path: plain arrays by command id, no atomics. Written
 * and read on that loop only.
 */
public final class LoopCounters {

  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final RetryablePrefix[] PREFIXES = RetryablePrefix.values();
  private static final int BUCKETS = DurationBuckets.BOUNDED + 1;

  /** Most kinds of errors that are counted; Redis's own limit. */
  private static final int MOST_ERRORS = 128;

  private long[] outcomes;
  private long[] buckets;
  private long[] nanos;
  private final long[] redirects = new long[PREFIXES.length];
  private long messages;
  private final long[] countClose = new long[CloseReason.values().length];
  private final CrossSlotCounts crossSlot = new CrossSlotCounts();
  private final Map<String, Long> errors = new HashMap<>();
  private long authenticationFailures;
  private long authenticationDelays;
  private long received;
  private long sent;

  /** Creates counters for command ids from 0 to {@code commands - 1}. */
  public LoopCounters(int commands) {
    outcomes = new long[commands * OUTCOMES.length];
    buckets = new long[commands * BUCKETS];
    nanos = new long[commands];
  }

  /** Makes room for command ids up to {@code commands - 1}; counts are kept. */
  public void grow(int commands) {
    if (commands > nanos.length) {
      outcomes = Arrays.copyOf(outcomes, commands * OUTCOMES.length);
      buckets = Arrays.copyOf(buckets, commands * BUCKETS);
      nanos = Arrays.copyOf(nanos, commands);
    }
  }

  /** Returns what commands over several slots cost. */
  public CrossSlotCounts crossSlot() {
    return crossSlot;
  }

  /** Records a command that ended {@code duration} nanoseconds after it arrived. */
  public void record(int command, Outcome outcome, long duration) {
    outcomes[command * OUTCOMES.length + outcome.ordinal()]++;
    buckets[command * BUCKETS + DurationBuckets.indexOf(duration)]++;
    nanos[command] += duration;
  }

  public void countRetryableError(RetryablePrefix kind) {
    redirects[kind.ordinal()]++;
  }

  /** Counts a message that was sent to one client. */
  public void countMessage() {
    messages++;
  }

  /** Counts a client that is closed for a limit. */
  public void countClose(CloseReason reason) {
    countClose[reason.ordinal()]++;
  }

  /** Counts wrong credentials of a client. */
  public void countAuthenticationFailure() {
    authenticationFailures++;
  }

  public long authenticationFailures() {
    return authenticationFailures;
  }

  /** Counts an attempt to authenticate that waits because of others of its address. */
  public void countAuthenticationDelay() {
    authenticationDelays++;
  }

  public long authenticationDelays() {
    return authenticationDelays;
  }

  public long messages() {
    return messages;
  }

  public long closes(CloseReason reason) {
    return countClose[reason.ordinal()];
  }

  /** Counts an error reply to a client by its first word. */
  public void countError(String prefix) {
    if (errors.size() < MOST_ERRORS || errors.containsKey(prefix)) {
      errors.merge(prefix, 1L, Long::sum);
    }
  }

  /** Counts bytes received from clients. */
  public void addReceived(int bytes) {
    received += bytes;
  }

  /** Counts all bytes that were sent to a client. Called when it is closed. */
  public void addSent(long bytes) {
    sent += bytes;
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

  /** Returns the number of commands so far, without rejected ones. */
  public long total() {
    long total = 0;
    for (int i = 0; i < outcomes.length; i++) {
      total += i % OUTCOMES.length == Outcome.REJECTED.ordinal() ? 0 : outcomes[i];
    }
    return total;
  }

  /** Returns a copy of the error replies' counts by their first word. */
  public Map<String, Long> errors() {
    return Map.copyOf(errors);
  }

  /** Returns the bytes received from clients. */
  public long received() {
    return received;
  }

  /** Returns the bytes sent to clients that are closed by now. */
  public long sent() {
    return sent;
  }
}
