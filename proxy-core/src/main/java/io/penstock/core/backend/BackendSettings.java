package io.penstock.core.backend;

import io.penstock.core.observe.Label;
import io.penstock.core.upstream.ProxyChain;
import io.penstock.core.upstream.ReadSettings;
import java.time.Duration;

/**
 * Settings of all connections to nodes.
 *
 * @param connectTimeout for TCP connect and handshake together
 * @param commandTimeout how long a node may take to answer a command after it was sent; a
 *     connection with pending replies that receives nothing for a multiple of it is closed
 * @param connectionsPerNode shared connections from one loop to one node, per protocol version
 * @param exclusiveConnections maximum of leased connections from one loop to one node
 * @param turnConnections maximum of connections from one loop to one node for clients' turns
 * @param maxHeld maximum of requests of one loop in a failover hold
 * @param queueLimits limits on what queues up at one connection
 * @param reads which nodes commands that only read are sent to
 * @param upstream what log lines about the connections name
 * @param chain the Penstocks that the requests pass through
 */
public record BackendSettings(
    Duration connectTimeout,
    Duration commandTimeout,
    int connectionsPerNode,
    int exclusiveConnections,
    int turnConnections,
    int maxHeld,
    QueueLimits queueLimits,
    ReadSettings reads,
    Label upstream,
    ProxyChain chain) {

  /** With a chain without an id. */
  public BackendSettings(
      Duration connectTimeout,
      Duration commandTimeout,
      int connectionsPerNode,
      int exclusiveConnections,
      int turnConnections,
      int maxHeld,
      QueueLimits queueLimits,
      ReadSettings reads,
      Label upstream) {
    this(
        connectTimeout,
        commandTimeout,
        connectionsPerNode,
        exclusiveConnections,
        turnConnections,
        maxHeld,
        queueLimits,
        reads,
        upstream,
        ProxyChain.withoutId());
  }

  private static final int SILENT_TIMEOUTS = 3;

  /** A connection with pending replies that receives nothing for this long is closed. */
  public long longestSilenceNanos() {
    return SILENT_TIMEOUTS * commandTimeout.toNanos();
  }
}
