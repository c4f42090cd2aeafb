package io.penstock.core.copies;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that were sent, in their order, from the oldest that has not ended to the latest.
 * Confined to the copy's loop.
 */
final class CopyWindow {

  private static final int MOST_TASKS = 1_024;
  private static final long MOST_BYTES = 16 << 20;

  private final ArrayDeque<CopyFlight> tasks = new ArrayDeque<>();
  private long bytes;
  private volatile long oldestAt; // 0 if it is empty

  /** When the oldest task was added to the queue; 0 if there is none. Any thread. */
  long oldestAt() {
    return oldestAt;
  }

  /** The oldest task; null if there is none. */
  @Nullable CopyFlight first() {
    return tasks.peek();
  }

  boolean hasRoomFor(CopyFlight next) {
    return tasks.size() < MOST_TASKS && bytes + next.size() <= MOST_BYTES;
  }

  void add(CopyFlight next) {
    tasks.add(next);
    bytes += next.size();
  }

  /** Removes those that have ended, up to the first that has not. */
  void removeEnded() {
    CopyFlight first = tasks.peek();
    while (first != null && first.hasEnded()) {
      tasks.remove();
      bytes -= first.size();
      first = tasks.peek();
    }
    oldestAt = first == null ? 0 : first.queuedAt();
  }

  /** Returns those that did not run and of which nothing is in flight, in order. */
  List<CopyFlight> toBeSentAgain() {
    List<CopyFlight> again = new ArrayList<>();
    for (CopyFlight flight : tasks) {
      if (flight.isToBeSentAgain()) {
        again.add(flight);
      }
    }
    return again;
  }

  /** Returns those of them that a later task on one of their keys has overtaken. */
  List<CopyFlight> overtaken() {
    Set<ByteBuffer> ran = new HashSet<>();
    List<CopyFlight> overtaken = new ArrayList<>();
    Iterator<CopyFlight> latestFirst = tasks.descendingIterator();
    while (latestFirst.hasNext()) {
      CopyFlight flight = latestFirst.next();
      if (flight.isToBeSentAgain() && hasAny(ran, flight.keys())) {
        overtaken.addFirst(flight);
      }
      if (flight.mayHaveRun()) {
        flight.keys().forEach(key -> ran.add(ByteBuffer.wrap(key)));
      }
    }
    return overtaken;
  }

  private static boolean hasAny(Set<ByteBuffer> ran, List<byte[]> keys) {
    for (byte[] key : keys) {
      if (ran.contains(ByteBuffer.wrap(key))) {
        return true;
      }
    }
    return false;
  }
}
