package io.penstock.core.node;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Handshake;
import io.penstock.core.backend.NodeCounters;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One loop's shared connections to one node that have the same database and are for the same kind
 * of requests. Each is made when first needed. Confined to that loop.
 */
final class ConnectionSet {

  private final ConnectionKey key;
  private final Endpoint node;
  private final BackendContext backend;
  private final NodeCounters counters;
  private final @Nullable BackendConnection[] resp2;
  private final @Nullable BackendConnection[] resp3;
  private long usedAt; // kept for the sets of OtherSets

  /**
   * @param key which exchanges it is for
   */
  ConnectionSet(ConnectionKey key, Endpoint node, BackendContext backend, NodeCounters counters) {
    this.key = key;
    this.node = node;
    this.backend = backend;
    this.counters = counters;
    int connections = backend.settings().connectionsPerNode();
    this.resp2 = new BackendConnection[connections];
    this.resp3 = new BackendConnection[connections];
  }

  ConnectionKey key() {
    return key;
  }

  BackendConnection connectionFor(Protocol protocol, int affinity) {
    @Nullable BackendConnection[] shared = protocol == Protocol.RESP2 ? resp2 : resp3;
    int index = shared.length == 1 ? 0 : Math.floorMod(affinity, shared.length);
    BackendConnection connection = shared[index];
    if (connection == null) {
      Handshake handshake = Handshake.of(key, node, protocol, backend);
      connection = new BackendConnection(node, handshake, backend, counters);
      shared[index] = connection;
    }
    return connection;
  }

  /** Sets when it was used last, {@link System#nanoTime()}. */
  void usedAt(long now) {
    usedAt = now;
  }

  long usedAt() {
    return usedAt;
  }

  /** Returns whether an exchange is in flight or waits. */
  boolean hasPending() {
    return hasPending(resp2) || hasPending(resp3);
  }

  private static boolean hasPending(@Nullable BackendConnection[] connections) {
    for (BackendConnection connection : connections) {
      if (connection != null && connection.pending() > 0) {
        return true;
      }
    }
    return false;
  }

  void collect(List<BackendConnection> into) {
    collect(resp2, into);
    collect(resp3, into);
  }

  static void collect(@Nullable BackendConnection[] from, List<BackendConnection> into) {
    for (BackendConnection connection : from) {
      if (connection != null) {
        into.add(connection);
      }
    }
  }

  /** Closes permanently. */
  void close() {
    close(resp2);
    close(resp3);
  }

  private static void close(@Nullable BackendConnection[] connections) {
    for (BackendConnection connection : connections) {
      if (connection != null) {
        connection.close();
      }
    }
  }
}
