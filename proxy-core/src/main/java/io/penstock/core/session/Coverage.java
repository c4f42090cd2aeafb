package io.penstock.core.session;

import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.util.concurrent.TimeUnit;

/**
 * Lets requests that concern all keys wait until all slots are served: for as long as a request for
 * one slot does. Later requests of the client wait behind it.
 */
final class Coverage {

  private static final long LOOK_AGAIN_MILLIS = 10;

  /** A request for all shards. */
  interface ForAll {
    /** Every slot has an owner in {@code map}, by which exchanges are dispatched. */
    void go(Placement map);

    /** It was answered with an error. */
    void gone();
  }

  private final Session session;

  Coverage(Session session) {
    this.session = session;
  }

  /** Has the prepared request {@code whole} go now, or as soon as all slots are served. */
  void whenWhole(Request whole, ForAll request) {
    Placement map = session.loop().dispatcher().adoptTopology();
    if (map.isFullyCovered()) {
      request.go(map);
    } else {
      session.order().routesChange();
      session.loop().topology().requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      hold(whole, request);
    }
  }

  private void hold(Request whole, ForAll request) {
    if (!session.loop().hold().admits(whole)) {
      request.gone();
      whole.deliverError(ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      return;
    }
    lookAgain(whole, request);
  }

  private void lookAgain(Request whole, ForAll request) {
    session
        .loop()
        .executor()
        .schedule(() -> look(whole, request), LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The client's earlier requests have to end first: their routes may be others by now. */
  private void look(Request whole, ForAll request) {
    session.loop().tick();
    Placement map = session.loop().dispatcher().adoptTopology();
    if (whole.isTooLate()) {
      leave(whole, session.isClosed() ? HeldOutcome.DROPPED : HeldOutcome.GIVEN_UP);
      request.gone();
      whole.deliverError(session.loop().notServed(), Outcome.UNAVAILABLE);
    } else if (map.isFullyCovered() && session.sequence().at(0) == whole) {
      leave(whole, HeldOutcome.SERVED);
      whole.sentLate();
      request.go(map);
    } else {
      session.loop().topology().requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      lookAgain(whole, request);
    }
  }

  private void leave(Request whole, HeldOutcome how) {
    session.loop().hold().leave(whole);
    session.loop().hold().count(whole, how);
  }
}
