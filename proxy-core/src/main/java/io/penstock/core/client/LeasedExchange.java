package io.penstock.core.client;

import io.penstock.core.backend.Exchange;

/** An exchange of a client over a leased connection. */
public abstract class LeasedExchange extends Exchange {

  /** The client that has the lease. */
  public final Client client;

  public LeasedExchange(Client client) {
    this.client = client;
  }

  /**
   * Closes the client and the connection: no other client uses it, and it is unknown which replies
   * are still to come.
   */
  @Override
  public final boolean recoverFrom(Throwable defect) {
    client.fail(defect);
    releaseBytes();
    return false;
  }
}
