package io.penstock.server.fault;

import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;

/**
 * The numbers that one subscriber has received, and whether the timeline explains those that are
 * missing, repeated or late. Times are {@link System#nanoTime()}. Not thread-safe.
 */
final class ReceivedMessages {

  private static final int REMEMBERED = 10_000;

  /**
   * Within this time after a channel has moved, Penstock subscribes at the right node. Messages
   * that pass from node to node meanwhile may be missed.
   */
  private static final long SETTLING_NANOS = 1_000_000_000;

  /** A node that becomes a replica passes on its messages after it has copied its master. */
  private static final long LATE_NANOS = 5_000_000_000L;

  /**
   * Within this time after a fault, Penstock has gone back to the node that could not be reached:
   * it tries to connect at least once a second, and then stays subscribed at the other node for 250
   * ms. The rest is for a slow machine.
   */
  private static final long RETURN_NANOS = 2_000_000_000L;

  private final FaultTimeline timeline;
  private final EventCounts counts;
  private final LongPredicate mayBeLate;
  private final boolean sharded;

  private final NavigableMap<Long, Long> receivedAt = new TreeMap<>();
  private final Set<Long> repeated = new HashSet<>();
  private long last;
  private long lastReceivedAt;

  /**
   * @param mayBeLate whether the publisher does not know if or when a number is published
   */
  ReceivedMessages(
      FaultTimeline timeline, EventCounts counts, LongPredicate mayBeLate, boolean sharded) {
    this.timeline = timeline;
    this.counts = counts;
    this.mayBeLate = mayBeLate;
    this.sharded = sharded;
  }

  /** Returns the highest number received, 0 before the first. */
  long last() {
    return last;
  }

  /** Adds a number. Fails if it must not arrive now. */
  void add(long number, long now) {
    if (number <= last) {
      addEarlier(number, now);
      return;
    }
    if (last != 0 && number > last + 1) {
      if (!timeline.anyActive(lastReceivedAt - SETTLING_NANOS, now)) {
        throw new AssertionError("received " + number + " after " + last + ", " + timeline);
      }
      counts.add("messages missed", number - last - 1);
    }
    counts.add("messages received");
    last = number;
    lastReceivedAt = now;
    remember(number, now);
  }

  private void addEarlier(long number, long now) {
    boolean before = receivedAt.containsKey(number) || number < receivedAt.firstKey();
    if (!(before ? mayBeRepeated(number, now) : mayComeLate(number, now))) {
      throw new AssertionError(
          "received " + number + (before ? " again" : "") + " after " + last + ", " + timeline);
    }
    counts.add(before ? "messages received twice" : "messages received late");
    if (!before) {
      remember(number, now);
    }
  }

  /**
   * During a fault, a message may come again from the node that the subscription moved to; and once
   * when it goes back after the fault, if it was on its way between the two nodes.
   */
  private boolean mayBeRepeated(long number, long now) {
    if (timeline.anyActive(lastReceivedAt, now)) {
      return true;
    }
    Long first = receivedAt.get(number);
    return first != null
        && now - first <= RETURN_NANOS
        && timeline.anyActive(now - RETURN_NANOS, now)
        && repeated.add(number);
  }

  private boolean mayComeLate(long number, long now) {
    return mayBeLate.test(number)
        || timeline.anyOverlap(lastReceivedAt - LATE_NANOS, now)
        || (sharded && timeline.anyActive(lastReceivedAt - SETTLING_NANOS, now));
  }

  private void remember(long number, long now) {
    receivedAt.put(number, now);
    if (receivedAt.size() > REMEMBERED) {
      repeated.remove(receivedAt.pollFirstEntry().getKey());
    }
  }
}
