package io.penstock.server.fault;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The elements of a list that its clients have popped. Each may be popped once, unless the pop may
 * have been lost: a replica that lacks it became the master. The list then has the element again,
 * and it may be popped much later: when all elements before it are gone. Thread-safe.
 */
final class PoppedElements {

  /** A pop has reached the replicas by then, if no master was killed or replaced meanwhile. */
  private static final long REPLICATED_NANOS = 10_000_000_000L;

  private final FaultTimeline timeline;
  private final EventCounts counts;
  private final BitSet popped = new BitSet(); // guarded by this
  private final Map<Integer, Long> unreplicated = new HashMap<>(); // when popped; guarded by this

  PoppedElements(FaultTimeline timeline, EventCounts counts) {
    this.timeline = timeline;
    this.counts = counts;
  }

  /**
   * Adds an element.
   *
   * @param sent when the request was sent, in nanoseconds
   * @param now when its reply was there
   */
  synchronized void add(int number, long sent, long now) {
    if (popped.get(number)) {
      Long before = unreplicated.get(number);
      // The first of the two replies may have taken longer than the second.
      if (before == null || !timeline.mayLoseWrites(Math.min(before, sent), now)) {
        throw new AssertionError(number + " was popped twice; recent faults: " + timeline);
      }
      counts.add("popped again after a master was killed");
    }
    popped.set(number);
    unreplicated.put(number, sent);
    if (number % 64 == 0) {
      unreplicated.values().removeIf(time -> isReplicated(time, now));
    }
  }

  /** A pop that may have been lost is kept: nobody can say when its element is popped again. */
  private boolean isReplicated(long time, long now) {
    long replicated = time + REPLICATED_NANOS;
    return now - replicated > 0 && !timeline.mayLoseWrites(time, replicated);
  }

  synchronized BitSet all() {
    return (BitSet) popped.clone();
  }
}
