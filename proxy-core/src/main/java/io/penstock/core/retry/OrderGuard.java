package io.penstock.core.retry;

import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.node.BackendNode;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that no request overtakes an earlier one of its client for the same partition. While
 * routes do not change, no request waits: the order on the connection is the order of the requests.
 * If routes may have changed with requests in flight, a request waits for those it could overtake.
 * It also waits for an earlier multi-key request, which the node may reject while it accepts this
 * one.
 */
public class OrderGuard {

  private final ReplySequence replies;
  private final Nodes nodes;
  private final ClientContext context;
  private Placement routedBy;
  private boolean retrying; // some requests wait for a retry, or are in flight again
  private long mark; // while requests up to this one are unanswered, checks are needed
  private long routesMark; // requests up to this one may have used other routes
  private @Nullable MultiKeyRequests multiKeyRequests; // created for the first one

  public OrderGuard(ClientContext context) {
    this.context = context;
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.routedBy = nodes.placement();
  }

  /** Returns whether the request, which concerns this partition, must wait for earlier ones. */
  public boolean mustWait(int partition, IncomingRequest request) {
    return mustCheck() && (mayOvertake(partition) || mayOvertakeMultiKey(partition, request));
  }

  /** Returns whether the request, which goes to any node, must wait for earlier ones. */
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

  /** Returns whether the request, which concerns many partitions, must wait for earlier ones. */
  public boolean mustWaitForAll(IncomingRequest request) {
    return mayOvertakeAny(request);
  }

  /** Returns whether the request, which is split by partition, must wait for earlier ones. */
  public boolean mustWaitForSplit(RoutePlan.ReusedSplit plan, IncomingRequest request) {
    return mayOvertakeAny(request);
  }

  private boolean mayOvertakeAny(IncomingRequest request) {
    return mustCheck()
        && (replies.at(0).requestNumber() <= routesMark
            || mayOvertakeMultiKey(MultiKeyRequests.ALL_PARTITIONS, request));
  }

  /**
   * Decides whether the request, which need not wait and is about to be sent, is read from a
   * replica. Without replicas every request goes to the master.
   */
  public void route(ClientExchange request) {
    // To the master.
  }

  /**
   * Returns the replica that a request would be read from now; null for the master. For {@link
   * io.penstock.core.client.Nodes#hasRoomForLargeReply}.
   */
  public @Nullable BackendNode replicaFor(int partition, CommandSpec spec) {
    return null;
  }

  /** Notes that a request was sent that may write to a partition and that is not routed here. */
  public void noteOtherWrite(int partition) {
    // Matters to reads from replicas only.
  }

  /** Like {@link #noteOtherWrite}, for a request that may write to any partition. */
  public void noteOtherWriteToAll() {
    // Matters to reads from replicas only.
  }

  /** Reads go to the master while the condition is true. */
  public void readMasterWhile(BooleanSupplier condition) {
    // As always.
  }

  /**
   * Chooses the node for a request that is sent again.
   *
   * @param master that serves its partition
   * @return null if no node may serve it now
   */
  @Nullable Endpoint targetOfRetry(ClientExchange request, Endpoint master) {
    return master;
  }

  /**
   * If a replica could not serve the request and its master may be read, has the request sent to
   * the master from now on.
   *
   * @return whether it is
   */
  boolean mayReadMasterInstead(ClientExchange request) {
    return false;
  }

  /** Notes that a node rejected the request with a retryable error. */
  void onRejected(ClientExchange request, RetryableError error) {
    // Matters to reads from replicas only.
  }

  /** Notes that the request did not reach its node, or that the connection was lost. */
  void onReadFailed(ClientExchange request) {
    // Matters to reads from replicas only.
  }

  /** Sets whether there are requests that did not run and are to be sent again. */
  void setRetrying(boolean some) {
    retrying = some;
  }

  /**
   * Notes that the client uses other connections to nodes from now on, for example after a change
   * of the protocol version.
   */
  public void onConnectionsChange() {
    routesMark = replies.lastRequestNumber();
    mark = routesMark;
  }

  /** Tracks a request that may name several keys and is about to be sent. */
  public void trackMultiKeyRequest(ClientExchange request) {
    if (!nodes.placement().mayMigrate()) {
      return;
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

  /** Returns whether a request might overtake another one. */
  private boolean mustCheck() {
    Placement current = nodes.placement();
    if (current != routedBy || retrying) {
      routedBy = current;
      onConnectionsChange();
    }
    return !replies.isEmpty() && replies.at(0).requestNumber() <= mark;
  }
}
