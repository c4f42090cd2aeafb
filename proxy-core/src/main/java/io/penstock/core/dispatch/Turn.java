package io.penstock.core.dispatch;

import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What one client asks of one node at once: it has a connection for itself from the first request
 * to the last reply. Made, and waits for its permit, on the client's virtual thread; what its
 * exchanges do, they do on the client's loop.
 */
final class Turn {

  /** What one connection of a client's leads to. */
  record Place(Endpoint node, Protocol protocol) {}

  private final List<QueuedExchange> exchanges = new ArrayList<>(1);
  private boolean markContinued;

  private Turn(QueuedExchange first) {
    exchanges.add(first);
  }

  /** A turn for each node that a batch goes to, each in the batch's order. */
  static Deque<Turn> of(Collection<QueuedExchange> batch) {
    var turns = new ArrayDeque<Turn>(4);
    for (QueuedExchange queued : batch) {
      Turn same = null;
      for (Turn turn : turns) {
        if (turn.place().equals(queued.place())) {
          same = turn;
        }
      }
      if (same == null) {
        turns.add(new Turn(queued));
      } else {
        same.exchanges.add(queued);
      }
    }
    return turns;
  }

  Endpoint node() {
    return place().node();
  }

  Place place() {
    return exchanges.getFirst().place();
  }

  List<QueuedExchange> exchanges() {
    return exchanges;
  }

  /** It goes over a connection that its client has already. */
  void markContinued() {
    markContinued = true;
  }

  /** Whether the client's thread has nothing to do with it. */
  boolean isContinued() {
    return markContinued;
  }

  /** Has a permit for each connection to the node. */
  Semaphore permits() {
    return exchanges.getFirst().permits();
  }

  /**
   * Fails what another node serves by now.
   *
   * @return whether there is still something to send
   */
  boolean withdraw(LoopNodes nodes) {
    boolean pending = false;
    for (QueuedExchange queued : exchanges) {
      queued.withdraw(nodes);
      pending |= queued.isPending();
    }
    return pending;
  }

  /** Waits, until the first exchange's deadline, for leave to use one more connection. */
  boolean awaitPermit() throws InterruptedException {
    long patience = exchanges.getFirst().deadline() - System.nanoTime();
    return permits().tryAcquire(Math.max(0, patience), TimeUnit.NANOSECONDS);
  }

  /** Takes leave to use one more connection if nobody waits for it. */
  boolean tryPermit() throws InterruptedException {
    return permits().tryAcquire(0, TimeUnit.NANOSECONDS); // fair, other than without a time
  }
}
