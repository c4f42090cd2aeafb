package io.penstock.core.upstream;

/**
 * The address of one Redis or Valkey node, TCP or a Unix socket, and the access to it. Endpoints
 * are equal if host, port and access are equal, whatever process listens there. All nodes of one
 * upstream have the same access. So the target of a redirect, or a node in a view of the cluster,
 * is an endpoint {@link #at} another host and port with the access of the node that named it.
 *
 * <p>{@link #toString} gives host and port, or the name of the Unix socket; never a password.
 *
 * @param host host name, IPv4 or IPv6 literal without brackets; of a Unix socket its name, a path
 *     or {@code @name}
 * @param port TCP port, 1 to 65535; 0 for a Unix socket
 * @param access credentials and database for new connections
 */
public record Endpoint(String host, int port, Access access) {

  public Endpoint {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("a node needs a host");
    }
    boolean isName = host.startsWith("/") || host.startsWith("@");
    if (port < (isName ? 0 : 1) || port > 65_535) {
      throw new IllegalArgumentException("port out of range: " + port);
    }
  }

  /** Creates an endpoint without credentials. */
  public Endpoint(String host, int port) {
    this(host, port, Access.NONE);
  }

  /** Creates the endpoint of a Unix socket, without credentials. */
  public static Endpoint ofUnixSocket(String name) {
    return new Endpoint(name, 0);
  }

  /** Returns whether it is a Unix socket, whose name is the {@link #host}. */
  public boolean isUnixSocket() {
    return port == 0;
  }

  /** Returns another address with the same access. */
  public Endpoint at(String otherHost, int otherPort) {
    return new Endpoint(otherHost, otherPort, access);
  }

  /** Returns the same address with another access. */
  public Endpoint with(Access other) {
    return new Endpoint(host, port, other);
  }

  /** Returns the node for the server that the same address leads to from now on. */
  public Endpoint successor() {
    return with(access.withGeneration(access.generation() + 1));
  }

  /** Returns the node for the first server at this address: its figures are those of them all. */
  public Endpoint first() {
    return access.generation() == 0 ? this : with(access.withGeneration(0));
  }

  /** Hashes host and port only: it is called often, and the access rarely differs. */
  @Override
  public int hashCode() {
    return 31 * host.hashCode() + port;
  }

  @Override
  public String toString() {
    if (isUnixSocket()) {
      return host;
    }
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
