package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Callbacks from a backend channel. Called on its loop. */
public interface LinkListener {

  /** The counters of the node. */
  NodeCounters counters();

  /** The TCP connection is established. */
  void onConnected(Link link);

  /** The connection could not be established. */
  void onConnectFailed(Throwable cause);

  /** One request of the handshake was answered; {@code error} is null on success. */
  void onHandshakeReply(@Nullable String error);

  /**
   * The node rejected the database of this connection, or reads from it. It is not the node that
   * failed: what waits for this connection gets the error as its reply.
   *
   * @param error the node's text, without {@code -}
   */
  void onSelectionRejected(String error);

  /** Takes ownership of {@code in}. */
  void onBytes(Link from, ByteBuf in);

  void onWritabilityChanged(boolean writable);

  /** The channel is closed. */
  void onDisconnected(Link from);

  /** The channel failed. */
  void onException(Link from, Throwable cause);
}
