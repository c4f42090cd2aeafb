package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** One loop's figures for one node. Plain fields: read on the loop. */
final class NodeCounters {

  private long connections;
  private long exclusive;
  private long bytesSentBefore; // on channels that are closed
  private long bytesReceived;
  private long reconnects;
  private long errors;
  private boolean hasConnected; // once at least
  private @Nullable HandshakeError
      handshakeError; // by which the newest attempt to connect has failed

  void connected(boolean again) {
    connections++;
    hasConnected = true;
    handshakeError = null;
    if (again) {
      reconnects++;
    }
  }

  void disconnected(long bytesSent) {
    connections--;
    bytesSentBefore += bytesSent;
  }

  /** A connection that one client had for itself has ended or begun. */
  void leased(int more) {
    exclusive += more;
  }

  void failed() {
    errors++;
  }

  /** Why an attempt to connect has failed, or a connection has ended. */
  void failed(Endpoint node, Throwable cause) {
    String error = cause instanceof BackendException known ? known.handshakeError() : null;
    handshakeError =
        error == null
            ? null
            : new HandshakeError(node, error, !hasConnected && !Handshake.isTemporary(error));
  }

  /** By what the node does not let Penstock in, if that was so when it was last tried. */
  @Nullable HandshakeError handshakeError() {
    return handshakeError;
  }

  void received(int bytes) {
    bytesReceived += bytes;
  }

  long connections() {
    return connections;
  }

  /** Of all connections those for one client each, in use or not. */
  long exclusive() {
    return exclusive;
  }

  long bytesSentBefore() {
    return bytesSentBefore;
  }

  long bytesReceived() {
    return bytesReceived;
  }

  long reconnects() {
    return reconnects;
  }

  long errors() {
    return errors;
  }
}
