package io.penstock.core.client;

import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;

/**
 * A client as the handlers of its requests see it: what they may know of it, and do to it. Confined
 * to the client's event loop.
 */
public interface Client {

  /** Its id as {@code CLIENT ID} tells it. */
  long id();

  /** The same for all exchanges of this client: they share connections to nodes, in order. */
  int affinity();

  /** The protocol version that it speaks now. */
  Protocol protocol();

  /** What stands for an array that there is not, in that protocol. */
  byte[] nullArray();

  /** Its address, for example {@code 127.0.0.1:50412}. */
  String address();

  /** Whether its socket is connected; false some time before {@link #isClosed}. */
  boolean isConnected();

  /** Whether its socket takes more bytes now. */
  boolean isWritable();

  /** Whether its connection is closed: nothing is given to it any more. */
  boolean isClosed();

  /** Whether it is closed, or is being closed for a limit. */
  boolean isClosing();

  /** Whether it sends no more, or is closed. */
  boolean isInputEnded();

  /** Whether this loop lets its clients go. */
  boolean isDraining();

  /** Takes up the requests that have come, as far as they may be. */
  void processInput();

  /** Takes up no more requests before {@link #resume} for the same place. */
  void suspend(ReplySlot by);

  /** What it was suspended for is over; the requests behind it are taken up with its reply. */
  void resume(ReplySlot by);

  /** Takes up no more requests, has those in flight answered and closes. */
  void drain();

  /** Closes at once: the client is gone, or cannot be given what it waits for. */
  void closeNow(String why);

  /**
   * Something went wrong that should not, or memory could not be had: the client is closed, since
   * nobody can tell which of its replies is whole. The caller must not fail because of it.
   */
  void fail(Throwable cause);
}
