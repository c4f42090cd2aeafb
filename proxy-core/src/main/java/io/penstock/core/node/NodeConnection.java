package io.penstock.core.node;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendException;
import io.penstock.core.backend.ConnectionState;
import io.penstock.core.backend.Handshake;
import io.penstock.core.backend.Link;
import io.penstock.core.backend.LinkListener;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one node: the steps from connecting until requests can be sent, which shared and
 * leased connections have in common. What begins them, and what follows a failure, is their own.
 * Confined to one event loop.
 */
abstract class NodeConnection implements LinkListener {

  final Endpoint node;
  private final Handshake handshake;

  /** The state, which only this class changes to Handshaking and Ready. */
  ConnectionState state;

  NodeConnection(Endpoint node, Handshake handshake, ConnectionState initial) {
    this.node = node;
    this.handshake = handshake;
    this.state = initial;
  }

  abstract BackendContext backend();

  /** Ends the current channel, or the attempt to connect, because of {@code cause}. */
  abstract void fail(Throwable cause);

  /** Each request of the handshake was answered, and the state is Ready. */
  abstract void onReady(Link link);

  /**
   * Sends the handshake. Returns false, and closes the link, if it comes too late: the attempt to
   * connect was given up.
   *
   * @param more requests that the caller sends next; each must call {@link #onHandshakeReply}
   */
  final boolean startHandshake(Link link, int more) {
    if (!(state instanceof ConnectionState.Connecting connecting)) {
      link.closeChannel();
      return false;
    }
    var timer =
        backend()
            .schedule(
                () -> fail(BackendException.of(node, "handshake timed out")),
                backend().settings().connectTimeout().toMillis());
    state = connecting.connected(link, handshake.size() + more, timer);
    handshake.send(link, this);
    return true;
  }

  @Override
  public final void onHandshakeReply(@Nullable String error) {
    if (!(state instanceof ConnectionState.Handshaking handshaking)) {
      return;
    }
    if (error != null) {
      fail(Handshake.failure(node, error));
      return;
    }
    var next = handshaking.answered();
    state = next;
    if (next.expected() == 0) {
      state = next.done();
      onReady(next.link());
    }
  }

  /** Authenticates again if it is connected: the password has changed. */
  final void authenticateAgain() {
    if (state instanceof ConnectionState.Ready(Link link)) {
      handshake.sendAgain(link, node, backend().settings().upstream().prefix());
    }
  }

  /** Returns whether requests are sent immediately. */
  public final boolean isReady() {
    return state instanceof ConnectionState.Ready;
  }

  /** Bytes sent on the current channel; 0 if it is not ready. */
  final long bytesSent() {
    return state instanceof ConnectionState.Ready(Link link) ? link.bytesSent() : 0;
  }
}
