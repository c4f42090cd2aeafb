package io.penstock.core.node;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one node for subscriptions. It uses RESP3 so that replies and pushes can be
 * distinguished. It connects when first needed and reconnects after a loss. Its owner must
 * resubscribe each time {@link BackendListener#onConnected} is called. Confined to one event loop.
 */
public final class SubscriberConnection {

  private final Endpoint node;
  private final NodeCounters counters = new NodeCounters();
  private final BackendConnection connection;
  private long commandTimeoutNanos;

  /**
   * @param backend with a listener and push sinks (for messages and confirmations) of this
   *     connection only
   */
  public SubscriberConnection(Endpoint node, BackendContext backend) {
    this.node = node;
    this.connection = new BackendConnection(node, Protocol.RESP3, backend, counters);
    this.commandTimeoutNanos = backend.settings().commandTimeout().toNanos();
  }

  /** Replaces the settings. The timeout of connecting is for later connects. */
  public void adopt(BackendSettings settings) {
    commandTimeoutNanos = settings.commandTimeout().toNanos();
    connection.adopt(settings);
  }

  /** Returns whether it can send immediately. */
  public boolean isReady() {
    return connection.isReady();
  }

  /**
   * The error with which the node refused the latest connection; null if it did not, or if waiting
   * may help.
   */
  public @Nullable HandshakeError refusal() {
    HandshakeError error = counters.handshakeError();
    return error != null && error.permanent() ? error : null;
  }

  /** Connects if it is idle. */
  public void connect() {
    connection.connectIfIdle();
  }

  /** Sends now; must only be called while {@link #isReady}. */
  public void send(Exchange exchange) {
    connection.send(exchange, false);
  }

  /**
   * Closes a connection with pending replies on which nothing comes, and sends PING on an idle one.
   * Called several times per command timeout.
   */
  public void tick(long now) {
    connection.tick(now, commandTimeoutNanos);
  }

  /** Authenticates again if it is connected: the password has changed. */
  public void authenticateAgain() {
    connection.authenticateAgain();
  }

  /** Closes permanently. */
  public void close() {
    connection.close();
  }

  public NodeStats stats() {
    return new NodeStats(
        node,
        counters.connections(),
        counters.exclusive(),
        connection.inFlight(),
        counters.bytesSentBefore() + connection.bytesSent(),
        counters.bytesReceived(),
        counters.reconnects(),
        counters.errors(),
        counters.errorReplies());
  }
}
