package io.penstock.core.retry;

/** Is told when a request of one client has ended. Confined to the client's loop. */
abstract class RequestTracker {

  /** The request was answered or has failed; it is not sent again. */
  abstract void onEnd(ClientExchange request);
}
