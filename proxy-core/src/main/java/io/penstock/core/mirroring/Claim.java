package io.penstock.core.mirroring;

import io.penstock.core.upstream.Placement;

/**
 * The stripes that one request, or several together, need until all of them have ended. They are
 * entered in ascending order, so that no two claims wait for each other. Confined to the loop of
 * its lane.
 */
final class Claim {

  private final Stripes stripes;
  private final Lane lane;
  private final Placement placement;
  private final int[] wanted; // ascending, each once
  private final Runnable then;
  private int entered; // how many of them
  private int users = 1;
  private boolean withdrawn;

  /**
   * @param placement by which the requests will be sent
   * @param wanted see {@link StripeSet#numbers}
   * @param then runs when it has waited and has all stripes
   */
  Claim(Stripes stripes, Lane lane, Placement placement, int[] wanted, Runnable then) {
    this.stripes = stripes;
    this.lane = lane;
    this.placement = placement;
    this.wanted = wanted;
    this.then = then;
  }

  Lane lane() {
    return lane;
  }

  Placement placement() {
    return placement;
  }

  /** Enters the stripes. Returns whether it has all; otherwise it waits. */
  boolean begin() {
    while (entered < wanted.length) {
      if (!stripes.get(wanted[entered]).enter(this)) {
        return false;
      }
      entered++;
    }
    return true;
  }

  /** Returns whether it has all stripes. */
  boolean isHeld() {
    return entered == wanted.length;
  }

  /** It has the stripe that it has waited for. */
  void onEntered() {
    entered++;
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
    for (int i = 0; i < entered; i++) {
      stripes.get(wanted[i]).leave(lane);
    }
  }
}
