package io.penstock.core.retry;

import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.upstream.Placement;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that no request overtakes an earlier one of its client for the same partition. While
 * routes stay as they are nobody waits: the order on the connection is the order of the requests.
 * When they may have changed with requests in flight, a request waits for those it could overtake;
 * so it does for one of several keys, which its node may refuse alone.
 */
public final class OrderGuard {

  private final ReplySequence replies;
  private final Nodes nodes;
  private final ClientContext context;
  private Placement routedBy;
  private boolean retrying; // requests that did not run are to be sent again, or are on their way
  private long mark; // while requests up to this one are unanswered there is something to look at
  private long routesMark; // requests up to this one may have gone by other routes
  private @Nullable MultiKeyRequests multiKeyRequests; // since there was one

  public OrderGuard(ClientContext context) {
    this.context = context;
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.routedBy = nodes.placement();
  }

  /** Whether the request, which is about this partition, must wait for earlier ones. */
  public boolean mustWait(int partition, IncomingRequest request) {
    return mustCheck() && (mayOvertake(partition) || mayOvertakeMultiKey(partition, request));
  }

  /** Whether the request, which goes to any node, must wait for earlier ones. */
  public boolean mustWaitForAnyNode() {
    return mustCheck() && mayOvertakeAtAnyNode();
  }

  private boolean mayOvertakeAtAnyNode() {
    for (int i = 0; i < replies.size() && replies.at(i).requestNumber() <= routesMark; i++) {
      if (!replies.at(i).isDone() && replies.at(i).mayTargetAnyNode()) {
        return true;
      }
    }
    return false;
  }

  private boolean mayOvertake(int partition) {
    for (int i = 0; i < replies.size(); i++) {
      ReplySlot earlier = replies.at(i);
      if (earlier.requestNumber() > routesMark) {
        return false;
      }
      if (!earlier.isDone() && earlier.mayTarget(partition)) {
        return true;
      }
    }
    return false;
  }

  private boolean mayOvertakeMultiKey(int partition, IncomingRequest request) {
    return multiKeyRequests != null && multiKeyRequests.mustWait(partition, request);
  }

  /** Whether the request, which is about many partitions, must wait for earlier ones. */
  public boolean mustWaitForAll(IncomingRequest request) {
    return mustCheck()
        && (replies.at(0).requestNumber() <= routesMark
            || mayOvertakeMultiKey(MultiKeyRequests.ALL_PARTITIONS, request));
  }

  /** Whether requests that did not run are to be sent again from here on. */
  void retrying(boolean some) {
    retrying = some;
  }

  /** The client's connections to nodes change from here on, as with another protocol version. */
  public void onRoutesChange() {
    routesMark = replies.lastRequestNumber();
    mark = routesMark;
  }

  /** A request that may name several keys is about to be sent. */
  public void trackMultiKeyRequest(ClientExchange request) {
    if (nodes.placement().partitions() == 1) {
      return; // nothing is migrated
    }
    MultiKeyRequests all = multiKeyRequests;
    if (all == null) {
      all = new MultiKeyRequests(context);
      multiKeyRequests = all;
    }
    all.add(request);
    request.setTracker(all);
    mark = replies.lastRequestNumber();
  }

  /** Whether a request might overtake another one. */
  private boolean mustCheck() {
    Placement current = nodes.placement();
    if (current != routedBy || retrying) {
      routedBy = current;
      onRoutesChange();
    }
    return !replies.isEmpty() && replies.at(0).requestNumber() <= mark;
  }
}
