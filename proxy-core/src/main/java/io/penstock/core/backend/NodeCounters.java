package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** One loop's counters for one node. Plain fields: read on the loop. */
final class NodeCounters {

  private long connections;
  private long exclusive;
  private long bytesSentBefore; // on channels that are closed
  private long bytesReceived;
  private long reconnects;
  private long errors;
  private boolean hasConnected; // at least once
  private @Nullable HandshakeError handshakeError; // of the latest attempt to connect

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

  /** Adds {@code change} to the number of leased connections. */
  void leased(int change) {
    exclusive += change;
  }

  void countError() {
    errors++;
  }

  /** An attempt to connect failed, or a connection was lost. */
  void onFailed(Endpoint node, Throwable cause) {
    String error = cause instanceof BackendException known ? known.handshakeError() : null;
    handshakeError =
        error == null
            ? null
            : new HandshakeError(node, error, !hasConnected && !Handshake.isTemporary(error));
  }

  /** The error with which the node answered the latest handshake; null if none. */
  @Nullable HandshakeError handshakeError() {
    return handshakeError;
  }

  void received(int bytes) {
    bytesReceived += bytes;
  }

  long connections() {
    return connections;
  }

  /** Number of leased connections, in use or idle. */
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
