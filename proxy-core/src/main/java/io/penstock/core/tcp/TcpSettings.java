package io.penstock.core.tcp;

import io.penstock.core.upstream.NodeTransport;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a TCP upstream. Immutable.
 *
 * @param servers at least one that is no backup; no address twice
 * @param connect how a client gets its server
 * @param transport TLS and the PROXY protocol's header, which names the client
 * @param idleTimeout both connections are closed after this time without a byte in either
 *     direction; zero for never
 * @param bufferSize bytes that may wait to be written, in each direction of a client, before the
 *     other side is not read any more
 * @param check the active health check, or null for none
 */
public record TcpSettings(
    List<TcpServer> servers,
    TcpBalance balance,
    Connect connect,
    NodeTransport transport,
    Duration idleTimeout,
    int bufferSize,
    @Nullable Check check) {

  public TcpSettings {
    servers = List.copyOf(servers);
  }

  /**
   * How a client gets its server.
   *
   * @param timeout of one connect, with TLS's handshake
   * @param next whether another server is tried after a failed connect
   * @param tries most servers for one client; 0 for all
   * @param triesTimeout time from the first connect after which no other server is tried; zero for
   *     no limit
   */
  public record Connect(Duration timeout, boolean next, int tries, Duration triesTimeout) {}

  /**
   * The active health check: Penstock connects to each server.
   *
   * @param interval between two checks of a server
   * @param timeout of the connect, and of the answer
   * @param fails failed checks in a row after which the server is out
   * @param passes successful checks in a row after which it is used again
   * @param send what is sent when it is connected; empty for nothing
   * @param expect what the answer must contain; empty for none
   */
  public record Check(
      Duration interval, Duration timeout, int fails, int passes, String send, String expect) {}

  /** Returns the kind and the addresses, for logs. */
  public String description() {
    return "TCP servers "
        + servers.stream().map(TcpServer::toString).collect(Collectors.joining(", "));
  }
}
