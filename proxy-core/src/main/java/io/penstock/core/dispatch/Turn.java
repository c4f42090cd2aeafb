package io.penstock.core.dispatch;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.node.Lease;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one batch of a client for one node. The client leases a connection from the
 * first request to the last reply. It is created, and waits for its permit, on the client's virtual
 * thread; its exchanges run on the client's loop.
 */
final class Turn {

  /** Which connection a turn needs. */
  record Place(Endpoint node, Protocol protocol, ConnectionKey connections) {

    /** Leases such a connection; null if the limit is reached. On the loop. */
    @Nullable Lease lease(LoopNodes nodes) {
      return nodes.nodeAt(node).leaseForTurn(protocol, connections);
    }
  }

  private final List<QueuedExchange> exchanges = new ArrayList<>(1);
  private boolean continued;

  private Turn(QueuedExchange first) {
    exchanges.add(first);
  }

  /** Returns a turn for each node in the batch, each in the batch's order. */
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

  /** Marks it as sent on a connection that its client has already leased. */
  void markContinued() {
    continued = true;
  }

  /** Returns whether it uses a connection already leased, without the client's thread. */
  boolean isContinued() {
    return continued;
  }

  /** One permit for each connection to the node. */
  Semaphore permits() {
    return exchanges.getFirst().permits();
  }

  /**
   * Fails unsent exchanges that another node now serves.
   *
   * @return whether unsent exchanges remain
   */
  boolean withdraw(LoopNodes nodes) {
    boolean pending = false;
    for (QueuedExchange queued : exchanges) {
      queued.withdraw(nodes);
      pending |= queued.isPending();
    }
    return pending;
  }

  /** Waits for a permit until the first exchange's deadline. Returns false if there is none. */
  boolean awaitPermit() throws InterruptedException {
    long timeout = exchanges.getFirst().deadline() - System.nanoTime();
    return permits().tryAcquire(Math.max(0, timeout), TimeUnit.NANOSECONDS);
  }

  /** Acquires a permit if one is free and no other turn waits for it. */
  boolean tryPermit() throws InterruptedException {
    return permits()
        .tryAcquire(0, TimeUnit.NANOSECONDS); // tryAcquire() without a timeout ignores fairness
  }
}
