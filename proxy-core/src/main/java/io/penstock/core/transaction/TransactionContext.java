package io.penstock.core.transaction;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.retry.RetryableErrors;

/**
 * What a client's transactions are made with.
 *
 * @param forward as for requests that are sent in parts
 * @param retryableErrors reads the nodes' errors
 * @param backpressure of the client
 * @param localCommands answers Penstock's own commands
 * @param share of the client in its loop's turns
 */
public record TransactionContext(
    ForwardContext forward,
    RetryableErrors retryableErrors,
    Backpressure backpressure,
    LocalCommandHandler localCommands,
    TurnBudget share) {

  public ClientContext clientContext() {
    return forward.clientContext();
  }
}
