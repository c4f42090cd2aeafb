package io.penstock.core.session;

import io.penstock.core.cluster.SlotMap;

/**
 * Sees to it that no request overtakes an earlier one of its client for the same slot. While routes
 * stay as they are nobody waits: the order on the connection is the order of the requests. When
 * they may have changed with requests in flight, a request waits for those it could overtake.
 */
final class OrderGuard {

  private final Session session;
  private SlotMap routedBy = SlotMap.EMPTY;
  private boolean careful;

  OrderGuard(Session session) {
    this.session = session;
  }

  /** Whether a request for {@code slot} must wait. */
  boolean holdsBack(int slot) {
    if (!isCareful()) {
      return false;
    }
    ReplySequence sequence = session.sequence();
    for (int i = 0; i < sequence.size(); i++) {
      Request earlier = sequence.at(i);
      if (!earlier.isDone() && (earlier.isDivided() || earlier.slot() == slot)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a request for many slots must wait. */
  boolean holdsBackAll() {
    return isCareful() && !session.sequence().isEmpty();
  }

  /** The client's connections to nodes change from here on, as with another protocol version. */
  void routesChange() {
    careful = true;
  }

  private boolean isCareful() {
    SlotMap current = session.loop().topology().current();
    if (current != routedBy || !session.retries().isEmpty()) {
      careful = true;
      routedBy = current;
    }
    careful &= !session.sequence().isEmpty();
    return careful;
  }
}
