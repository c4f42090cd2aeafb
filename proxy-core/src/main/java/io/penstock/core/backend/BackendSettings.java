package io.penstock.core.backend;

import java.time.Duration;

/**
 * What all connections to nodes have in common.
 *
 * @param connectTimeout for TCP connect and handshake together
 * @param commandTimeout how long a node may take to answer a command, from when it was sent; a
 *     connection that owes replies and is silent for a multiple of it is given up
 * @param connectionsPerNode shared connections from one loop to one node, per protocol version
 * @param exclusiveConnections most connections from one loop to one node that clients have for
 *     themselves
 * @param turnConnections most connections from one loop to one node that clients take turns on
 * @param maxHeld most requests of one loop that wait until they can be sent
 * @param queueLimits of what queues up at one connection
 */
public record BackendSettings(
    Duration connectTimeout,
    Duration commandTimeout,
    int connectionsPerNode,
    int exclusiveConnections,
    int turnConnections,
    int maxHeld,
    QueueLimits queueLimits) {

  private static final int SILENT_TIMEOUTS = 3;

  /** A connection that owes replies and stays silent for so long is given up. */
  long longestSilenceNanos() {
    return SILENT_TIMEOUTS * commandTimeout.toNanos();
  }
}
