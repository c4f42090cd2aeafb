package io.penstock.core.client;

import io.penstock.core.backend.Exchange;

/** An exchange of a client over a connection that it has for itself meanwhile. */
public abstract class LeasedExchange extends Exchange {

  /** The client that it is for. */
  public final Client client;

  public LeasedExchange(Client client) {
    this.client = client;
  }

  /**
   * Closes the client, and the connection: no other client uses it, and what replies it owes is
   * unknown.
   */
  @Override
  public final boolean recoverFrom(Throwable defect) {
    client.fail(defect);
    releaseBytes();
    return false;
  }
}
