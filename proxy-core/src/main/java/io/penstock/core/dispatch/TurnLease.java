package io.penstock.core.dispatch;

import io.penstock.core.backend.Lease;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection while one client has it. It is given back when nothing more is to come on it: as
 * long as replies are late it stays this client's, so that what the client asks of the node next
 * runs after what it asked before. Confined to the loop.
 */
final class TurnLease {

  private final Lease lease;
  private final ClientThread client;
  private final List<Turn> awaited = new ArrayList<>(1);
  private final Turn first;
  private boolean givenBack;

  /**
   * @param first has the connection's permit
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
    } finally { // without memory for it all there is still a thread that waits
      lease.observe(this::look);
      look();
    }
  }

  private void look() {
    if (givenBack || lease.isAwaited()) {
      return;
    }
    List<Turn> ended = List.copyOf(awaited);
    awaited.clear();
    if (!lease.hasPending()) {
      givenBack = true;
      client.removeLease(first);
      lease.release();
      first.permits().release();
    }
    ended.forEach(client::onTurnEnd);
  }
}
