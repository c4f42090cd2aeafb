package io.penstock.core.copies;

import io.penstock.core.upstream.Placement;
import java.util.BitSet;

/**
 * The stripes that one request, or several together, need until all of them have ended. They are
 * entered in ascending order, so that no two claims wait for each other. Confined to the loop of
 * its lane.
 */
final class Claim {

  private final Stripes stripes;
  private final Lane lane;
  private final Placement placement;
  private final BitSet wanted;
  private final Runnable then;
  private int next; // the stripe to enter; -1 after the last
  private int users = 1;
  private boolean withdrawn;

  /**
   * @param placement by which the requests will be sent
   * @param wanted at least one stripe; this takes ownership
   * @param then runs when it has waited and has all stripes
   */
  Claim(Stripes stripes, Lane lane, Placement placement, BitSet wanted, Runnable then) {
    this.stripes = stripes;
    this.lane = lane;
    this.placement = placement;
    this.wanted = wanted;
    this.then = then;
    this.next = wanted.nextSetBit(0);
  }

  Lane lane() {
    return lane;
  }

  Placement placement() {
    return placement;
  }

  /** Enters the stripes. Returns whether it has all; otherwise it waits. */
  boolean begin() {
    while (next >= 0) {
      if (!stripes.get(next).enter(this)) {
        return false;
      }
      next = wanted.nextSetBit(next + 1);
    }
    return true;
  }

  /** Returns whether it has all stripes. */
  boolean isHeld() {
    return next < 0;
  }

  /** It has the stripe that it has waited for. */
  void onEntered() {
    next = wanted.nextSetBit(next + 1);
    if (withdrawn) {
      leave();
    } else if (begin()) {
      then.run();
    }
  }

  /** One more request uses it. */
  void share() {
    users++;
  }

  /** A request that uses it has ended, or will not be sent. */
  void release() {
    users--;
    if (users == 0) {
      withdrawn = true;
      if (isHeld()) {
        leave();
      } // otherwise when it has the stripe that it waits for
    }
  }

  private void leave() {
    int end = next < 0 ? Stripes.COUNT : next;
    for (int i = wanted.nextSetBit(0); i >= 0 && i < end; i = wanted.nextSetBit(i + 1)) {
      stripes.get(i).leave(lane);
    }
  }
}
