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
 * Holds requests that concern all keys until all partitions are served, as long as a request for
 * one partition is held. Later requests of the client wait behind them.
 */
final class CoverageWait {

  private static final long CHECK_MILLIS = 10;

  /** A request for all shards. */
  interface AllShardsRequest {
    /**
     * Sends the request. Every partition has an owner in {@code placement}, by which exchanges are
     * dispatched.
     */
    void send(Placement placement);

    /** Releases the request, which is answered with an error. */
    void cancel();
  }

  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private final Loop loop;
  private final OrderGuard order;

  CoverageWait(ClientContext context, OrderGuard order) {
    this.client = context.client();
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.order = order;
  }

  /** Sends the prepared request {@code whole} now, or as soon as all partitions are served. */
  void sendWhenCovered(Forwarded whole, AllShardsRequest request) {
    Placement placement = nodes.placement();
    if (placement.isFullyCovered()) {
      request.send(placement);
    } else {
      order.onConnectionsChange();
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      holdOrReject(whole, request);
    }
  }

  private void holdOrReject(Forwarded whole, AllShardsRequest request) {
    if (!nodes.heldRequests().tryEnter(whole, null, null)) {
      request.cancel();
      whole.answer(ErrorReplies.OVERLOADED, Outcome.OVERLOADED);
      return;
    }
    scheduleCheck(whole, request);
  }

  private void scheduleCheck(Forwarded whole, AllShardsRequest request) {
    loop.executor()
        .schedule(() -> checkSafely(whole, request), CHECK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The executor would drop an exception, and the client would wait for ever. */
  private void checkSafely(Forwarded whole, AllShardsRequest request) {
    try {
      check(whole, request);
    } catch (Throwable e) {
      whole.recoverFrom(e);
    }
  }

  /**
   * Sends the request if all partitions are served. The client's earlier requests must end first:
   * their routes may have changed.
   */
  private void check(Forwarded whole, AllShardsRequest request) {
    loop.tick();
    Placement placement = nodes.placement();
    if (whole.isTooLateToSend()) {
      endHold(whole, client.isClosed() ? HeldOutcome.DISCONNECTED : HeldOutcome.FAILED);
      request.cancel();
      whole.answer(nodes.notServed(), Outcome.UNAVAILABLE);
    } else if (placement.isFullyCovered() && replies.at(0) == whole.replySlot()) {
      endHold(whole, HeldOutcome.SERVED);
      whole.extendDeadline();
      request.send(placement);
    } else {
      nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
      scheduleCheck(whole, request);
    }
  }

  private void endHold(Forwarded whole, HeldOutcome how) {
    nodes.heldRequests().leave(whole);
    nodes.heldRequests().countOutcome(whole, how);
  }
}
