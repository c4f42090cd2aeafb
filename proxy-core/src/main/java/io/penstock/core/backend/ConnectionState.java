package io.penstock.core.backend;

import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Where a backend connection stands: Idle → Connecting → (Handshaking →) Ready, from each of the
 * last three to BackingOff and from there to Connecting; Closed from anywhere and for ever.
 */
sealed interface ConnectionState {

  /** Nobody has asked for the node yet. */
  record Idle() implements ConnectionState {}

  /** The TCP connection is being made. */
  record Connecting() implements ConnectionState {
    Handshaking connected(Link link, int expected, Future<?> timer) {
      return new Handshaking(link, expected, timer);
    }
  }

  /**
   * Connected; the node has not answered all of the handshake.
   *
   * @param expected replies still to come
   * @param timer gives the attempt up
   */
  record Handshaking(Link link, int expected, Future<?> timer) implements ConnectionState {

    Handshaking answered() {
      return new Handshaking(link, expected - 1, timer);
    }

    Ready done() {
      timer.cancel(false);
      return new Ready(link);
    }

    @Override
    public void close() {
      timer.cancel(false);
      link.closeChannel();
    }
  }

  /** Commands may be sent. */
  record Ready(Link link) implements ConnectionState {
    @Override
    public void close() {
      link.closeChannel();
    }
  }

  /** The last attempt failed or the connection was lost; {@code timer} makes the next attempt. */
  record BackingOff(Future<?> timer) implements ConnectionState {
    @Override
    public void close() {
      timer.cancel(false);
    }
  }

  /** Given up for good. */
  record Closed() implements ConnectionState {}

  /** The channel, once there is one. */
  default @Nullable Link link() {
    return null;
  }

  /** Closes the channel and ends the timer there may be. */
  default void close() {}
}
