package io.penstock.core.limit;

import io.penstock.core.observe.CloseReason;

/**
 * A client as its {@link Allowance} sees it: what is kept for it, and how it is closed. Called on
 * the client's loop.
 */
public interface LimitedClient {

  /** Bytes that were written for the client or pushed to it, and that it has not taken. */
  long unreadBytes();

  /** Bytes of buffers with what it has sent and what is queued for it. */
  long bufferBytes();

  /** Bytes of objects that are kept for it, except those that the allowance is told of. */
  long heapBytes();

  /** Whether bytes that it has sent are kept. */
  boolean hasInput();

  /** How many of its requests are unanswered. */
  int unanswered();

  /** Whether it has subscribed to something. */
  boolean isSubscriber();

  /** Whether it has asked to be spared when there is too little memory. */
  boolean isNoEvict();

  /** Whether its connection is closed. */
  boolean isClosed();

  /** It is not read because so many of its requests are unanswered. */
  void pausedForInFlight();

  /** It is about to be closed for a limit. */
  void closing(CloseReason reason);

  /** Closes it at once, and drops what it has not taken. */
  void close(CloseReason reason);
}
