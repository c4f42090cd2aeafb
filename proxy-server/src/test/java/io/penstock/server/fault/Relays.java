package io.penstock.server.fault;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The relays between Penstock and all nodes. The nodes' own connections have no faults. */
final class Relays implements AutoCloseable {

  /** The address that nodes connect from. */
  static final String NODES = "127.0.0.2";

  private final Map<ServerProcess, Relay> relays = new LinkedHashMap<>();

  /** Starts a relay in front of a node: of its port for TLS, if it has one. */
  Relay add(ServerProcess node) {
    int port = node.tlsPort() == 0 ? node.port() : node.tlsPort();
    Relay relay = Relay.to(node.host(), port, peer -> peer.getHostAddress().equals(NODES));
    relays.put(node, relay);
    return relay;
  }

  Relay of(ServerProcess node) {
    Relay relay = relays.get(node);
    if (relay == null) {
      throw new IllegalArgumentException(node + " has no relay");
    }
    return relay;
  }

  List<Relay> all() {
    return List.copyOf(relays.values());
  }

  @Override
  public void close() {
    relays.values().forEach(Relay::close);
  }
}
