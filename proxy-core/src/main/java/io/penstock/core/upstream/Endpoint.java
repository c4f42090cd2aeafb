package io.penstock.core.upstream;

/**
 * The address of one Redis or Valkey server as its cluster announces it. Two nodes are the same
 * when host and port are, whatever process listens there.
 *
 * @param host host name, IPv4 or IPv6 literal without brackets
 * @param port TCP port, 1 to 65535
 */
public record Endpoint(String host, int port) {

  public Endpoint {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("a node needs a host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port out of range: " + port);
    }
  }

  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
