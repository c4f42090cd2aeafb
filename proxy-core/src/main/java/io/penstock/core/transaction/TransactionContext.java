package io.penstock.core.transaction;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.retry.RetryableErrors;

/**
 * What a client's transactions need.
 *
 * @param forward what the client's forwarded requests need
 * @param retryableErrors parses errors of nodes
 * @param backpressure pauses reading from the client if nodes cannot keep up
 * @param localCommands answers local commands
 * @param budget of the client in a loop turn
 */
public record TransactionContext(
    ForwardContext forward,
    RetryableErrors retryableErrors,
    Backpressure backpressure,
    LocalCommandHandler localCommands,
    TurnBudget budget) {

  public ClientContext clientContext() {
    return forward.clientContext();
  }
}
