package io.penstock.core.transaction;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.forward.ForwardContext;
import io.penstock.core.retry.RetryableErrors;
import org.jspecify.annotations.Nullable;

/**
 * What a client's transactions need.
 *
 * @param forward what the client's forwarded requests need
 * @param retryableErrors parses errors of nodes
 * @param backpressure pauses reading from the client if nodes cannot keep up
 * @param localCommands answers local commands
 * @param budget of the client in a loop turn
 * @param across for keys of several partitions; null if such transactions are rejected
 */
public record TransactionContext(
    ForwardContext forward,
    RetryableErrors retryableErrors,
    Backpressure backpressure,
    LocalCommandHandler localCommands,
    TurnBudget budget,
    @Nullable AcrossPartitions across) {

  public ClientContext clientContext() {
    return forward.clientContext();
  }
}
