package io.penstock.core.transaction;

import io.penstock.core.client.IncomingRequest;

/** Answers the local commands of a transaction. On the client's event loop. */
public interface LocalCommandHandler {

  /** Answers a request that {@code EXEC} has come to; its reply is captured. */
  void answer(IncomingRequest captured);
}
