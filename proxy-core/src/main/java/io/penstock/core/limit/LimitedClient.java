package io.penstock.core.limit;

import io.penstock.core.observe.CloseReason;

/**
 * A client as its {@link Allowance} knows it: the memory that it uses, and how it is closed. Called
 * on the client's loop.
 */
public interface LimitedClient {

  /** Bytes of replies and messages that the client has not read. */
  long unreadBytes();

  /** Bytes of buffers with received input and queued requests. */
  long bufferBytes();

  /** Bytes of objects that are kept for the client, except those reported to the allowance. */
  long heapBytes();

  /** Whether received bytes are kept. */
  boolean hasInput();

  /** The number of unanswered requests. */
  int unanswered();

  /** Whether the client has subscriptions. */
  boolean isSubscriber();

  /** Whether the client has set {@code CLIENT NO-EVICT}. */
  boolean isNoEvict();

  /** Whether the connection is closed. */
  boolean isClosed();

  /** Reading is paused because the client has too many unanswered requests. */
  void pausedForInFlight();

  /** The client is about to be closed for a limit. */
  void closing(CloseReason reason);

  /** Closes the client at once and drops its unread replies and messages. */
  void close(CloseReason reason);
}
