package io.penstock.core.backend;

import io.penstock.core.cluster.Credentials;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What all connections to nodes have in common.
 *
 * @param credentials what nodes want to be told, or null
 * @param database selected after connecting; 0 for none
 * @param connectTimeout for TCP connect and handshake together
 * @param commandTimeout how long a node may take to answer a command, from when it was sent; a
 *     connection that owes replies and is silent for a multiple of it is given up
 * @param connectionsPerNode shared connections from one loop to one node, per protocol version
 * @param exclusiveConnections most connections from one loop to one node that clients have for
 *     themselves
 * @param turnConnections most connections from one loop to one node that clients take turns on
 * @param maxHeld most requests of one loop that wait until they can be sent
 * @param bounds of what queues up at one connection
 */
public record BackendSettings(
    @Nullable Credentials credentials,
    int database,
    Duration connectTimeout,
    Duration commandTimeout,
    int connectionsPerNode,
    int exclusiveConnections,
    int turnConnections,
    int maxHeld,
    QueueBounds bounds) {

  private static final int SILENT_TIMEOUTS = 3;

  /** The same without a database to select. */
  BackendSettings onAnyDatabase() {
    return new BackendSettings(
        credentials,
        0,
        connectTimeout,
        commandTimeout,
        connectionsPerNode,
        exclusiveConnections,
        turnConnections,
        maxHeld,
        bounds);
  }

  /** A connection that owes replies and stays silent for so long is given up. */
  long longestSilenceNanos() {
    return SILENT_TIMEOUTS * commandTimeout.toNanos();
  }
}
