package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.Lease;
import io.penstock.core.cluster.Node;
import java.util.concurrent.Semaphore;

/**
 * An exchange that waits for its client's turn. What a thread must know of it is copied here: the
 * exchange itself belongs to the loop, and may be used again as soon as it has ended.
 */
final class Errand {

  private final Exchange exchange;
  private boolean taken; // sent or failed: the exchange is not to be touched any more
  private final boolean asking;
  private final Turn.Place place;
  private final long deadline;
  private final Semaphore gate;

  /**
   * @param asking whether {@code ASKING} goes first
   * @param gate has a permit for each connection to the node
   */
  Errand(Exchange exchange, boolean asking, Node node, Semaphore gate) {
    this.exchange = exchange;
    this.asking = asking;
    this.place = new Turn.Place(node, exchange.protocol());
    this.deadline = exchange.deadline();
    this.gate = gate;
  }

  /** Sends the exchange, unless it has failed. On the loop. */
  void send(Lease lease) {
    if (!taken) {
      taken = true;
      lease.sendLate(exchange, asking);
    }
  }

  /** Fails the exchange, unless it was sent. On the loop. */
  void fail(Failure failure) {
    if (!taken) {
      taken = true;
      exchange.fail(failure); // others of the batch are to be told, too
    }
  }

  /** Where it goes. */
  Turn.Place place() {
    return place;
  }

  /** {@link System#nanoTime()} at which it fails. */
  long deadline() {
    return deadline;
  }

  Semaphore gate() {
    return gate;
  }
}
