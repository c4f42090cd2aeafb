package io.penstock.core.session;

/**
 * What a client's transactions are made with.
 *
 * @param forward as for requests that are sent in parts
 * @param refusals reads the nodes' errors
 * @param backpressure of the client
 * @param own answers Penstock's own commands
 * @param share of the client in its loop's turns
 */
record TransactionParts(
    ForwardParts forward,
    Refusals refusals,
    Backpressure backpressure,
    OwnCommands own,
    TurnShare share) {

  ClientContext context() {
    return forward.context();
  }
}
