package io.penstock.core.retry;

import io.penstock.core.backend.HeldRequests;
import io.penstock.core.client.Client;
import io.penstock.core.observe.ProxyStats.HeldOutcome;

/**
 * One client's part in what its loop holds: requests that were refused, or failed without having
 * run. Confined to its loop.
 */
final class ClientHeldRequests {

  private final Client client;
  private final HeldRequests hold;

  ClientHeldRequests(Client client, HeldRequests hold) {
    this.client = client;
    this.hold = hold;
  }

  /** Whether too many are held for one that was never sent; one that was held already stays. */
  boolean rejects(Retry retry) {
    if (retry.held || !hold.isFull()) {
      return false;
    }
    hold.countRejected();
    return true;
  }

  /** Holds the request from here to its end. */
  void add(Retry retry) {
    retry.held = true;
    hold.enter(retry.request);
  }

  /** The request may run no more. */
  void giveUp(ClientExchange request) {
    hold.leave(request);
    hold.countOutcome(request, client.isInputEnded() ? HeldOutcome.DROPPED : HeldOutcome.GIVEN_UP);
  }

  /** The request is answered with an error of Penstock's, if it was held in vain. */
  void giveUpIfHeld(ClientExchange request) {
    if (hold.leave(request)) {
      giveUp(request);
    }
  }

  /** The request has ended otherwise. */
  void finishIfHeld(ClientExchange request) {
    if (hold.leave(request)) {
      hold.countOutcome(request, HeldOutcome.SERVED);
    }
  }
}
