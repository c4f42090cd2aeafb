package io.penstock.core.transaction;

import io.penstock.core.client.IncomingRequest;

/** Answers the commands of a transaction that are Penstock's own. On the client's event loop. */
public interface LocalCommandHandler {

  /** Has a request answered that {@code EXEC} has come to; its reply is captured. */
  void answer(IncomingRequest captured);
}
