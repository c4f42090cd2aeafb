package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.Semaphore;

/**
 * An exchange that waits for its client's turn. What a thread must know of it is copied here: the
 * exchange itself belongs to the loop, and may be used again as soon as it has ended.
 */
final class QueuedExchange {

  /** Why an exchange goes to its node. */
  enum Way {
    /** The placement names it. */
    BY_PLACEMENT,
    /** It alone is meant. */
    PINNED,
    /** The same, and {@code ASKING} goes first. */
    ASKING
  }

  private final Exchange exchange;
  private boolean taken; // sent or failed: the exchange is not to be touched any more
  private final boolean asking;
  private final boolean pinned;
  private final Turn.Place place;
  private final long deadline;
  private final Semaphore permits;

  /**
   * @param way how it goes there
   * @param gate has a permit for each connection to the node
   */
  QueuedExchange(Exchange exchange, Way way, Endpoint node, Semaphore gate) {
    this.exchange = exchange;
    this.asking = way == Way.ASKING;
    this.pinned = way != Way.BY_PLACEMENT;
    this.place = new Turn.Place(node, exchange.protocol());
    this.deadline = exchange.deadline();
    this.permits = gate;
  }

  /** Sends the exchange, unless it has failed. On the loop. */
  void send(Lease lease) {
    if (!taken) {
      taken = true;
      lease.sendAfterWait(exchange, asking);
    }
  }

  /** Fails the exchange, unless it was sent. On the loop. */
  void fail(Failure failure) {
    if (!taken) {
      taken = true;
      exchange.fail(failure); // others of the batch are to be told, too
    }
  }

  /** Fails the exchange if it was not sent and the placement names another node by now. */
  void withdraw(LoopNodes nodes) {
    if (!taken && !pinned && nodes.isMisplaced(exchange, place.node())) {
      fail(Failure.NOT_SENT);
    }
  }

  /** Whether there is still something to send. On the loop. */
  boolean isPending() {
    return !taken;
  }

  /** Where it goes. */
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
