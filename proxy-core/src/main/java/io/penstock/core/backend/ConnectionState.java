package io.penstock.core.backend;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;

/**
 * Where a backend connection stands: Idle → Connecting → (Handshaking →) Ready, from each of the
 * last three to BackingOff and from there to Connecting; Closed from anywhere and for ever.
 */
sealed interface ConnectionState {

  /** Nobody has asked for the node yet. */
  record Idle() implements ConnectionState {}

  /** The TCP connection is being made. */
  record Connecting() implements ConnectionState {
    @Override
    public boolean isAlive() {
      return true;
    }
  }

  /**
   * Connected; the node has not answered all of the handshake.
   *
   * @param expected replies still to come
   * @param timer gives the attempt up
   */
  record Handshaking(ChannelHandlerContext context, int expected, Future<?> timer)
      implements ConnectionState {

    Handshaking answered() {
      return new Handshaking(context, expected - 1, timer);
    }

    @Override
    public boolean isAlive() {
      return true;
    }

    @Override
    public void closeChannel() {
      context.close();
    }
  }

  /** Commands may be sent. */
  record Ready(Channel channel) implements ConnectionState {
    @Override
    public boolean isAlive() {
      return true;
    }

    @Override
    public void closeChannel() {
      channel.close();
    }
  }

  /** The last attempt failed or the connection was lost; {@code timer} makes the next attempt. */
  record BackingOff(Future<?> timer) implements ConnectionState {
    @Override
    public void closeChannel() {
      timer.cancel(false);
    }
  }

  /** Given up for good. */
  record Closed() implements ConnectionState {}

  /** Whether there is a connection, or an attempt, that can be lost. */
  default boolean isAlive() {
    return false;
  }

  /** Closes the channel or ends the timer there is, if any. */
  default void closeChannel() {}
}
