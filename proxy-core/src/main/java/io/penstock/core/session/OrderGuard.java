package io.penstock.core.session;

import io.penstock.core.backend.Exchange.Destination;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.UnknownPlacement;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no request overtakes an earlier one of its client for the same slot. While routes
 * stay as they are nobody waits: the order on the connection is the order of the requests. When
 * they may have changed with requests in flight, a request waits for those it could overtake; so it
 * does for one of several keys, which its node may refuse alone.
 */
final class OrderGuard {

  private final Session session;
  private Placement routedBy = UnknownPlacement.INSTANCE;
  private long mark; // while requests up to this one are unanswered there is something to look at
  private long routesMark; // requests up to this one may have gone by other routes
  private @Nullable SeveralKeys several; // since there was one

  OrderGuard(Session session) {
    this.session = session;
  }

  /** Whether the request that was found last, for {@code slot}, must wait. */
  boolean holdsBack(int slot) {
    return isCareful() && (mayOvertake(Destination.PARTITION, slot) || mayBeTakenFirst(slot));
  }

  /** Whether the request that was found last, for any node, must wait. */
  boolean holdsBackAnyNode() {
    return isCareful() && mayOvertake(Destination.ANY_NODE, 0);
  }

  private boolean mayOvertake(Destination destination, int slot) {
    ReplySequence sequence = session.sequence();
    for (int i = 0; i < sequence.size(); i++) {
      Request earlier = sequence.at(i);
      if (earlier.place() > routesMark) {
        return false;
      }
      if (!earlier.isDone() && (earlier.isDivided() || earlier.goesTo(destination, slot))) {
        return true;
      }
    }
    return false;
  }

  private boolean mayBeTakenFirst(int slot) {
    return several != null && several.holdBack(slot);
  }

  /** Whether the request that was found last, for many slots, must wait. */
  boolean holdsBackAll() {
    return isCareful()
        && (session.sequence().at(0).place() <= routesMark
            || mayBeTakenFirst(SeveralKeys.ALL_SLOTS));
  }

  /** The client's connections to nodes change from here on, as with another protocol version. */
  void routesChange() {
    routesMark = session.activity().requests();
    mark = routesMark;
  }

  /** A request that may name several keys is about to be sent. */
  void namesSeveral(Routed request) {
    if (!session.loop().isSharded()) {
      return; // nothing is migrated
    }
    SeveralKeys all = several;
    if (all == null) {
      all = new SeveralKeys(session);
      several = all;
    }
    all.add(request);
    request.isOneOf(all);
    mark = session.activity().requests();
  }

  /** Looks at the routes now: what is sent next goes by what is seen here. */
  private boolean isCareful() {
    Placement current = session.loop().dispatcher().adoptTopology();
    if (current != routedBy || !session.retries().isEmpty()) {
      routedBy = current;
      routesChange();
    }
    ReplySequence sequence = session.sequence();
    return !sequence.isEmpty() && sequence.at(0).place() <= mark;
  }
}
