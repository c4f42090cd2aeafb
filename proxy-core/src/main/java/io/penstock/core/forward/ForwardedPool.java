package io.penstock.core.forward;

import io.penstock.core.reply.ReplySlots;
import java.util.ArrayDeque;

/**
 * Exchanges of a loop that are done and can be used again: as many as a load needs at its height,
 * and fewer again when it is over. Confined to the loop.
 */
public final class ForwardedPool {

  private final ArrayDeque<Forwarded> spare = new ArrayDeque<>();
  private int unused; // there was no time with fewer since the last look

  /** One that was used before if there is one. */
  Forwarded take() {
    Forwarded known = spare.pollLast();
    if (known == null) {
      return new Forwarded(this);
    }
    unused = Math.min(unused, spare.size());
    return known;
  }

  /** Takes back one that has ended. */
  void recycle(Forwarded ended) {
    if (spare.size() < ReplySlots.MAX_SPARE) {
      spare.addLast(ended);
    }
  }

  /** Lets go of half of those that nobody needed since the last time. Called now and then. */
  public void trim() {
    int rest = Math.max(ReplySlots.MIN_SPARE, spare.size() - (unused + 1) / 2);
    while (spare.size() > rest) {
      spare.pollFirst();
    }
    unused = spare.size();
  }
}
