package io.penstock.core.forward;

import io.penstock.core.reply.ReplySlots;
import java.util.ArrayDeque;

/**
 * The exchanges of a loop that have ended and can be reused: as many as peak load needs, and fewer
 * when the load falls. Confined to the loop.
 */
public final class ForwardedPool {

  private final ArrayDeque<Forwarded> spare = new ArrayDeque<>();
  private int unused; // fewest spare exchanges since the last trim

  /** Returns a spare exchange, or a new one if there is none. */
  Forwarded take() {
    Forwarded known = spare.pollLast();
    if (known == null) {
      return new Forwarded(this);
    }
    unused = Math.min(unused, spare.size());
    return known;
  }

  /** Takes back an exchange that has ended. */
  void recycle(Forwarded ended) {
    if (spare.size() < ReplySlots.MAX_SPARE) {
      spare.addLast(ended);
    }
  }

  /** Drops half of the exchanges that were not needed since the last trim. Called periodically. */
  public void trim() {
    int rest = Math.max(ReplySlots.MIN_SPARE, spare.size() - (unused + 1) / 2);
    while (spare.size() > rest) {
      spare.pollFirst();
    }
    unused = spare.size();
  }
}
