package io.penstock.server.health;

import io.penstock.core.tcp.TcpServers;
import org.jspecify.annotations.Nullable;

/**
 * One server of a TCP upstream.
 *
 * @param up whether clients may get it
 * @param trouble why not; null if they may
 * @param connections to it, of clients
 */
record TcpServerView(
    String server, boolean up, @Nullable String trouble, boolean backup, int connections) {

  static TcpServerView of(TcpServers.Status status) {
    return new TcpServerView(
        status.server().toString(),
        status.up(),
        status.trouble(),
        status.server().backup(),
        status.connections());
  }
}
