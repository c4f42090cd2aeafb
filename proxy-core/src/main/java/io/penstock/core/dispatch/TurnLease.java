package io.penstock.core.dispatch;

import io.penstock.core.node.Lease;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection leased for a client's turns. It is released when no reply is pending on it. While
 * late replies of expired exchanges are pending the client keeps it, so that the client's next
 * requests to the node run after the earlier ones. Confined to the loop.
 */
final class TurnLease {

  private final Lease lease;
  private final ClientThread client;
  private final List<Turn> awaited = new ArrayList<>(1);
  private final Turn first;
  private boolean released;

  /**
   * @param first the turn that acquired the connection's permit
   */
  TurnLease(Lease lease, ClientThread client, Turn first) {
    this.lease = lease;
    this.client = client;
    this.first = first;
  }

  /** Sends the turn's exchanges. */
  void send(Turn turn) {
    awaited.add(turn);
    try {
      turn.exchanges().forEach(queued -> queued.send(lease));
    } finally { // the thread waits even if memory was exhausted
      lease.observe(this::checkEnd);
      checkEnd();
    }
  }

  private void checkEnd() {
    if (released || lease.isAwaited()) {
      return;
    }
    List<Turn> ended = List.copyOf(awaited);
    awaited.clear();
    if (!lease.hasPending()) {
      released = true;
      client.removeLease(first);
      lease.release();
      first.permits().release();
    }
    ended.forEach(client::onTurnEnd);
  }
}
