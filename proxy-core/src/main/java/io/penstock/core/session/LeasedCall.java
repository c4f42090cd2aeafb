package io.penstock.core.session;

import io.penstock.core.backend.Exchange;

/** An exchange of a session over a connection that it has for itself meanwhile. */
abstract sealed class LeasedCall extends Exchange permits BlockingCall, ShardWait, WatchCall {

  /** The session that it is for. */
  final Session session;

  LeasedCall(Session session) {
    this.session = session;
  }

  /** Closes the client, and the connection: nobody else has it, and it owes who knows what. */
  @Override
  public final boolean absorbs(Throwable defect) {
    Defect.in(session, defect);
    releaseBytes();
    return false;
  }
}
