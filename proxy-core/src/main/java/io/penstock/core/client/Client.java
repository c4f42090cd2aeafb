package io.penstock.core.client;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import org.jspecify.annotations.Nullable;

/** A client as the handlers of its requests see it. Confined to the client's event loop. */
public interface Client {

  /** Returns the id of {@code CLIENT ID}. */
  long id();

  /**
   * Returns the same number for all exchanges of this client: they share connections to nodes and
   * keep their order there.
   */
  int affinity();

  /** Returns the client's current protocol version. */
  Protocol protocol();

  /** Returns what is taken off the names of channels that the client sees; null for nothing. */
  default @Nullable ChannelPrefix channelPrefix() {
    return null;
  }

  /** Returns the connections to nodes that the client's exchanges use, reads of replicas apart. */
  ConnectionKey connections();

  /** Returns the number of the client's database. */
  int databaseNumber();

  /**
   * Selects another database for the client's next requests, which wait for earlier ones that they
   * could overtake.
   */
  void select(int databaseNumber);

  /** Returns the null array of that protocol version. */
  byte[] nullArray();

  /**
   * Returns the client's address for log lines, for example {@code 127.0.0.1:50412}; of a Unix
   * socket with the client's process.
   */
  String peer();

  /** Returns whether the socket is connected; false some time before {@link #isClosed} is true. */
  boolean isConnected();

  /** Returns whether the socket accepts more bytes now. */
  boolean isWritable();

  /** Returns whether the connection is closed: nothing is written to it any more. */
  boolean isClosed();

  /** Returns whether the client is closed, or is being closed for a limit. */
  boolean isClosing();

  /** Returns whether the client has closed its side, or is closed. */
  boolean isInputEnded();

  /** Returns whether this loop drains its clients. */
  boolean isDraining();

  /** Handles the requests that have arrived, as long as the client's state and limits allow it. */
  void processInput();

  /** Handles no more requests until {@link #resume} for the same slot. */
  void suspend(ReplySlot by);

  /** Ends {@link #suspend}; the next requests are handled when the slot's reply is complete. */
  void resume(ReplySlot by);

  /** Handles no more requests, waits for the pending replies and closes the client. */
  void drain();

  /** Closes the client at once: it has disconnected, or cannot get the reply it waits for. */
  void closeNow(String why);

  /**
   * Closes the client after an unexpected error or a failed allocation: it is unknown which of its
   * replies are whole. Does not throw.
   */
  void fail(Throwable cause);
}
