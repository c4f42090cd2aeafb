package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Whom the channel to a node tells what happens on it. Called on its loop. */
interface LinkListener {

  /** The TCP connection stands. */
  void onConnected(Link link);

  /** There will be none. */
  void onConnectFailed(Throwable cause);

  /** One request of the handshake was answered; {@code error} is null when it was accepted. */
  void onHandshakeReply(@Nullable String error);

  /** Takes ownership of {@code in}. */
  void onBytes(Link from, ByteBuf in);

  void onWritabilityChanged(boolean writable);

  /** The channel is closed. */
  void onDisconnected(Link from);

  /** The channel failed. */
  void onException(Link from, Throwable cause);
}
