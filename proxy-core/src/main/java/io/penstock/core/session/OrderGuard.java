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
  private long mark; // requests up to this one may have gone by other routes

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
      if (earlier.place() > mark) {
        return false;
      }
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
    mark = session.activity().requests();
  }

  /** Looks at the routes now: what is sent next goes by what is seen here. */
  private boolean isCareful() {
    SlotMap current = session.loop().dispatcher().adoptTopology();
    if (current != routedBy || !session.retries().isEmpty()) {
      routedBy = current;
      routesChange();
    }
    ReplySequence sequence = session.sequence();
    return !sequence.isEmpty() && sequence.at(0).place() <= mark;
  }
}
