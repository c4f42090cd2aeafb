package io.penstock.core.backend;

import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * State of a backend connection: Idle → Connecting → (Handshaking →) Ready. Each of the last three
 * may change to BackingOff, and from there to Connecting, or to Idle if nothing waits. Any state
 * may change to Closed, which is final.
 */
public sealed interface ConnectionState {

  /** Not used yet. */
  record Idle() implements ConnectionState {}

  /** The TCP connection is being established. */
  record Connecting() implements ConnectionState {
    public Handshaking connected(Link link, int expected, Future<?> timer) {
      return new Handshaking(link, expected, timer);
    }
  }

  /**
   * Connected; replies to the handshake are pending.
   *
   * @param expected pending replies
   * @param timer aborts the attempt
   */
  record Handshaking(Link link, int expected, Future<?> timer) implements ConnectionState {

    public Handshaking answered() {
      return new Handshaking(link, expected - 1, timer);
    }

    public Ready done() {
      timer.cancel(false);
      return new Ready(link);
    }

    @Override
    public void close() {
      timer.cancel(false);
      link.closeChannel();
    }
  }

  /** Requests can be sent. */
  record Ready(Link link) implements ConnectionState {
    @Override
    public void close() {
      link.closeChannel();
    }
  }

  /** The latest attempt failed or the connection was lost; {@code timer} starts the next one. */
  record BackingOff(Future<?> timer) implements ConnectionState {
    @Override
    public void close() {
      timer.cancel(false);
    }
  }

  /** Closed permanently. */
  record Closed() implements ConnectionState {}

  /** The link; null while there is none. */
  default @Nullable Link link() {
    return null;
  }

  /** Closes the channel and cancels the timer, if there are any. */
  default void close() {}
}
