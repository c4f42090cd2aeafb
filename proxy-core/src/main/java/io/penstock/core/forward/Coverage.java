package io.penstock.core.forward;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.retry.OrderGuard;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.util.concurrent.TimeUnit;

/**
 * Lets requests that concern all keys wait until all partitions are served: for as long as a
 * request for one partition does. Later requests of the client wait behind it.
 */
final class Coverage {

  private static final long LOOK_AGAIN_MILLIS = 10;

  /** A request for all shards. */
  interface ForAll {
    /** Every partition has an owner in {@code map}, by which exchanges are dispatched. */
    void go(Placement map);

    /** It was answered with an error. */
    void gone();
  }

  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private final Loop loop;
  private final OrderGuard order;

  Coverage(ClientContext context, OrderGuard order) {
    this.client = context.client();
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.order = order;
  }

  /** Has the prepared request {@code whole} go now, or as soon as all partitions are served. */
  void whenWhole(Forwarded whole, ForAll request) {
    Placement map = nodes.placement();
    if (map.isFullyCovered()) {
      request.go(map);
    } else {
      order.routesChange();
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      hold(whole, request);
    }
  }

  private void hold(Forwarded whole, ForAll request) {
    if (!nodes.heldRequests().tryEnter(whole)) {
      request.gone();
      whole.answer(ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      return;
    }
    lookAgain(whole, request);
  }

  private void lookAgain(Forwarded whole, ForAll request) {
    loop.executor().schedule(() -> look(whole, request), LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The client's earlier requests have to end first: their routes may be others by now. */
  private void look(Forwarded whole, ForAll request) {
    loop.tick();
    Placement map = nodes.placement();
    if (whole.isTooLate()) {
      leave(whole, client.isClosed() ? HeldOutcome.DROPPED : HeldOutcome.GIVEN_UP);
      request.gone();
      whole.answer(nodes.notServed(), Outcome.UNAVAILABLE);
    } else if (map.isFullyCovered() && replies.at(0) == whole.place()) {
      leave(whole, HeldOutcome.SERVED);
      whole.sentLate();
      request.go(map);
    } else {
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      lookAgain(whole, request);
    }
  }

  private void leave(Forwarded whole, HeldOutcome how) {
    nodes.heldRequests().leave(whole);
    nodes.heldRequests().countOutcome(whole, how);
  }
}
