package io.penstock.core.retry;

import io.penstock.core.backend.HeldRequests;
import io.penstock.core.client.Client;
import io.penstock.core.observe.ProxyStats.HeldOutcome;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * One client's requests in the failover hold of its loop: those that got a retryable error or
 * failed without having run. Confined to the loop.
 */
final class ClientHeldRequests {

  private final Client client;
  private final HeldRequests hold;

  ClientHeldRequests(Client client, HeldRequests hold) {
    this.client = client;
    this.hold = hold;
  }

  /**
   * Returns whether the request is rejected because the failover hold is full. A request that is
   * already held stays.
   */
  boolean rejects(Retry retry) {
    if (retry.held || !hold.isFull()) {
      return false;
    }
    hold.countRejected();
    return true;
  }

  /**
   * Holds the request until it ends.
   *
   * @param node that it waits for; null if it waits for a node to serve its keys
   * @param rejection the error reply of that node; null if the node could not be reached
   */
  void add(Retry retry, @Nullable Endpoint node, byte @Nullable [] rejection) {
    retry.held = true;
    hold.enter(retry.request, node, rejection);
  }

  /** Counts the request as given up: it may not run any more. */
  void giveUp(ClientExchange request) {
    hold.leave(request);
    hold.countOutcome(
        request, client.isInputEnded() ? HeldOutcome.DISCONNECTED : HeldOutcome.FAILED);
  }

  /** If the request is held, counts it as given up: Penstock answers it with an error. */
  void giveUpIfHeld(ClientExchange request) {
    if (hold.leave(request)) {
      giveUp(request);
    }
  }

  /** If the request is held, counts it as served. */
  void finishIfHeld(ClientExchange request) {
    if (hold.leave(request)) {
      hold.countOutcome(request, HeldOutcome.SERVED);
    }
  }
}
