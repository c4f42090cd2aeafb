package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.node.Lease;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.Semaphore;

/**
 * An exchange that waits for its client's turn. It copies what the client's thread needs, since the
 * exchange itself is confined to the loop and may be reused as soon as it has ended.
 */
final class QueuedExchange {

  /** Why an exchange is sent to its node. */
  enum Way {
    /** The node serves the destination according to the placement. */
    BY_PLACEMENT,
    /** The exchange is for this node only. */
    PINNED,
    /** As {@link #PINNED}, and {@code ASKING} is sent first. */
    ASKING
  }

  private final Exchange exchange;
  private boolean done; // sent or failed: the exchange must not be used any more
  private final boolean asking;
  private final boolean pinned;
  private final Turn.Place place;
  private final long deadline;
  private final Semaphore permits;

  /**
   * @param permits one for each connection to the node
   */
  QueuedExchange(Exchange exchange, Way way, Endpoint node, Semaphore permits) {
    this.exchange = exchange;
    this.asking = way == Way.ASKING;
    this.pinned = way != Way.BY_PLACEMENT;
    this.place = new Turn.Place(node, exchange.protocol(), exchange.connections());
    this.deadline = exchange.deadline();
    this.permits = permits;
  }

  /** Sends the exchange, unless it has failed. On the loop. */
  void send(Lease lease) {
    if (!done) {
      done = true;
      try {
        lease.sendAfterWait(exchange, asking);
      } catch (Throwable e) { // the others of the turn must be sent, too
        if (!exchange.recoverFrom(e)) {
          throw e;
        }
      }
    }
  }

  /** Fails the exchange, unless it was sent. On the loop. */
  void fail(Failure failure) {
    if (!done) {
      done = true;
      exchange.fail(failure); // which does not throw: the batch may have others
    }
  }

  /** Fails the exchange if it was not sent and the placement now has another node for it. */
  void withdraw(LoopNodes nodes) {
    if (!done && !pinned && nodes.isMisplaced(exchange, place.node())) {
      fail(Failure.NOT_SENT);
    }
  }

  /** Returns whether it was neither sent nor failed. On the loop. */
  boolean isPending() {
    return !done;
  }

  /** Node, protocol and set of the connection that it needs. */
  Turn.Place place() {
    return place;
  }

  /** {@link System#nanoTime()} at which it fails. */
  long deadline() {
    return deadline;
  }

  Semaphore permits() {
    return permits;
  }
}
