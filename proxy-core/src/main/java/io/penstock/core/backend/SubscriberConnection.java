package io.penstock.core.backend;

import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;

/**
 * One connection to one node for subscriptions, which speaks RESP3 so that replies and pushes can
 * be told apart. It connects when first needed and comes back by itself; whoever owns it subscribes
 * anew whenever the site's listener hears that it is connected. Confined to one event loop.
 */
public final class SubscriberConnection {

  private final Endpoint node;
  private final NodeCounters counters = new NodeCounters();
  private final BackendConnection connection;
  private final long commandTimeoutNanos;

  /**
   * @param site its listener and its sink, which takes messages and confirmations, are this
   *     connection's own
   */
  public SubscriberConnection(Endpoint node, BackendContext site) {
    this.node = node;
    this.connection = new BackendConnection(node, Protocol.RESP3, site, counters);
    this.commandTimeoutNanos = site.settings().commandTimeout().toNanos();
  }

  /** Whether it can send at once. */
  public boolean isReady() {
    return connection.isReady();
  }

  /** Connects if nobody has asked for it yet. */
  public void connect() {
    connection.connectIfIdle();
  }

  /** Sends now; to be called only while {@link #isReady}. */
  public void send(Exchange exchange) {
    connection.send(exchange, false);
  }

  /**
   * Called several times per command timeout: gives up a node that owes replies and is silent, and
   * has one answer now and then on which nobody publishes.
   */
  public void tick(long now) {
    connection.tick(now, commandTimeoutNanos);
  }

  /** Closes for good. */
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
        counters.errors());
  }
}
