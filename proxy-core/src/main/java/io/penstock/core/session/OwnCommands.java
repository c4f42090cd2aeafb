package io.penstock.core.session;

/** Answers the commands of a transaction that are Penstock's own. On the client's event loop. */
interface OwnCommands {

  /** Has a request answered that {@code EXEC} has come to; its reply is captured. */
  void answer(Incoming captured);
}
