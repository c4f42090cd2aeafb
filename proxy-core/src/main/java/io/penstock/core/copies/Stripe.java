package io.penstock.core.copies;

import io.penstock.core.upstream.Placement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys, whose writes are in one lane at a time. The lane that has it enters writes
 * without asking anybody. Another lane gets it when all writes under way have left, which means
 * that they were answered and what copies get was queued. So writes are queued in the order in
 * which the primary ran them.
 *
 * <p>Safe for lanes of different loops.
 */
final class Stripe {

  private final ArrayDeque<Claim> waiting = new ArrayDeque<>(0); // under the lock
  private volatile boolean wanted; // whether some wait; written under the lock
  private volatile @Nullable Lane owner; // written under the lock
  private int entered; // writes under way; on the owner's loop, or under the lock without owner
  private @Nullable Placement placement; // by which they were sent

  /**
   * Enters a write, on its lane's loop.
   *
   * @return false if it must wait: {@link Claim#onEntered} is called on that loop when it is in
   */
  boolean enter(Claim claim) {
    if (owner == claim.lane() && !wanted && mayJoin(claim)) {
      count(claim);
      return true;
    }
    return enterOrWait(claim);
  }

  /** Writes that are sent by different placements may go to different nodes. */
  private boolean mayJoin(Claim claim) {
    return entered == 0 || placement == claim.placement();
  }

  private void count(Claim claim) {
    entered++;
    placement = claim.placement();
  }

  private boolean enterOrWait(Claim claim) {
    Lane asked;
    synchronized (this) {
      Lane now = owner;
      if (now == null || (now == claim.lane() && waiting.isEmpty() && mayJoin(claim))) {
        owner = claim.lane();
        count(claim);
        return true;
      }
      waiting.add(claim);
      boolean first = !wanted;
      wanted = true;
      asked = first ? now : null;
    }
    if (asked != null) {
      asked.execute(() -> passOn(asked));
    }
    return false;
  }

  /** A write has ended, and what copies get is queued. On the loop of its lane. */
  void leave(Lane lane) {
    entered--;
    if (entered == 0 && wanted) {
      passOn(lane);
    }
  }

  /** Passes it to whoever waits longest, with all behind it that may enter at the same time. */
  private void passOn(Lane from) {
    List<Claim> next = new ArrayList<>();
    synchronized (this) {
      if (owner != from || entered > 0) {
        return; // the last write to leave passes it on
      }
      Claim first = waiting.peek();
      while (first != null && isBeside(first, waiting.peek())) {
        Claim claim = waiting.remove();
        count(claim);
        next.add(claim);
      }
      wanted = !waiting.isEmpty();
      if (first != null) {
        owner = first.lane(); // from here on, its loop counts
      }
    }
    for (Claim claim : next) {
      claim.lane().execute(claim::onEntered);
    }
  }

  private static boolean isBeside(Claim first, @Nullable Claim other) {
    return other != null && other.lane() == first.lane() && other.placement() == first.placement();
  }
}
