package io.penstock.core.upstream;

/**
 * Where one Redis or Valkey server is, and what gives access to it. Two endpoints are the same when
 * host, port and access are, whatever process listens there. All of one upstream's servers have the
 * same access, so that what a redirect or a view of the cluster names is {@link #at} another host
 * and port with the access of the node that said so.
 *
 * <p>It is shown as host and port, never with a password.
 *
 * @param host host name, IPv4 or IPv6 literal without brackets
 * @param port TCP port, 1 to 65535
 * @param access what connections begin with; a password so far, and TLS when there is any
 */
public record Endpoint(String host, int port, Access access) {

  public Endpoint {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("a node needs a host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port out of range: " + port);
    }
  }

  /** A server that asks for no password. */
  public Endpoint(String host, int port) {
    this(host, port, Access.NONE);
  }

  /** Another server with the same access. */
  public Endpoint at(String otherHost, int otherPort) {
    return new Endpoint(otherHost, otherPort, access);
  }

  /** The same server with another access. */
  public Endpoint with(Access other) {
    return new Endpoint(host, port, other);
  }

  /** Of host and port alone: it is asked for often, and access seldom differs. */
  @Override
  public int hashCode() {
    return 31 * host.hashCode() + port;
  }

  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
