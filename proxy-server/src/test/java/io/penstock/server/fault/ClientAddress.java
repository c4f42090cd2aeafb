package io.penstock.server.fault;

import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.RespClient;
import org.jspecify.annotations.Nullable;

/**
 * Where clients connect.
 *
 * @param authority of Penstock's certificate; null without TLS
 */
record ClientAddress(String host, int port, @Nullable TestAuthority authority) {

  /** Opens a raw connection. */
  RespClient connect() {
    return authority == null
        ? RespClient.open(host, port)
        : RespClient.open(host, port, authority.clients());
  }
}
