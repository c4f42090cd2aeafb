package io.penstock.server.mapping;

import io.penstock.core.assembly.ProxySettings.Upstream;
import io.penstock.core.tcp.TcpBalance;
import io.penstock.core.tcp.TcpServer;
import io.penstock.core.tcp.TcpSettings;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.UnixSockets;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.config.InvalidConfigurationException;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Maps the properties of a TCP upstream to the core's settings, and rejects what it cannot have.
 */
final class TcpMapping {

  /** So that the ring of a consistent hash has at most 160 times as many points. */
  private static final int MOST_WEIGHT_OF_RING = 10_000;

  /** Keys that concern commands, or how Redis's servers are found and read. */
  private static final List<String> OF_RESP =
      List.of(
          "password-file",
          "sentinel-password-file",
          "reads",
          "read-from",
          "read-balance",
          "zone",
          "zones",
          "max-replica-lag",
          "read-your-writes",
          "backend",
          "topology",
          "cross-slot",
          "shadow",
          "otherwise",
          "by",
          "copies",
          "reply",
          "copy-queue-max-requests",
          "copy-queue-max-bytes");

  private final PropertiesReader reader;
  private final String upstream;
  private final Transport transport;

  /**
   * @param upstream what the keys of its upstream begin with, below {@code penstock}
   * @param transport as configured
   */
  TcpMapping(PropertiesReader reader, String upstream, Transport transport) {
    this.reader = reader;
    this.upstream = upstream;
    this.transport = transport;
  }

  /** Rejects keys of the upstream that have no meaning without commands. */
  void rejectKeysOfResp() {
    for (String key : OF_RESP) {
      String set = reader.firstSet(upstream + key);
      if (set != null) {
        throw reader.invalid(
            set,
            "this upstream is plain TCP: Penstock passes its bytes on and reads no commands",
            "remove this key, or write a resource in place of tcp");
      }
    }
  }

  /** Rejects keys of TLS if the upstream has none. A default that is written is no mistake. */
  void rejectKeysWithoutTls(PenstockProperties.NodeTls tls) {
    String key =
        tls.bundle() != null
            ? "bundle"
            : tls.serverName() != null
                ? "server-name"
                : tls.verify() == Verify.FULL ? "" : "verify";
    if (!key.isEmpty()) {
      throw reader.invalid(
          upstream + "tls." + key,
          "the connections to the servers are without TLS",
          "set " + reader.written(upstream + "tcp.tls") + ": true, or remove this key");
    }
  }

  /**
   * Returns the upstream.
   *
   * @param nodes TLS and the PROXY protocol of the connections to the servers
   * @throws InvalidConfigurationException if it is invalid
   */
  Upstream.Tcp map(String name, PenstockProperties.Tcp tcp, NodeTransport nodes) {
    List<TcpServer> servers = servers(tcp);
    rejectUseless(servers);
    rejectConflicts(tcp.balance(), servers);
    return new Upstream.Tcp(
        name,
        new TcpSettings(
            servers,
            tcp.balance(),
            new TcpSettings.Connect(
                tcp.connectTimeout(),
                tcp.nextServer(),
                tcp.nextServerTries(),
                tcp.nextServerTimeout()),
            nodes,
            tcp.idleTimeout(),
            Math.toIntExact(tcp.bufferSize().toBytes()),
            check(tcp.healthCheck())));
  }

  private TcpSettings.@Nullable Check check(PenstockProperties.@Nullable HealthCheck check) {
    if (check == null) {
      return null;
    }
    String expect = Objects.requireNonNullElse(check.expect(), "");
    String send = Objects.requireNonNullElse(check.send(), "");
    return new TcpSettings.Check(
        check.interval(), check.timeout(), check.fails(), check.passes(), send, expect);
  }

  private List<TcpServer> servers(PenstockProperties.Tcp tcp) {
    if (tcp.servers().isEmpty()) {
      throw invalid(
          "servers", "it is not set", "write the servers, such as \"10.0.0.1:6379 weight=2\"");
    }
    List<TcpServer> servers = new ArrayList<>();
    for (int i = 0; i < tcp.servers().size(); i++) {
      String element = "servers[" + i + "]";
      String key = reader.isSet(upstream + "tcp." + element) ? element : "servers";
      TcpServer server = server(key, tcp.servers().get(i));
      if (servers.stream().anyMatch(other -> other.address().equals(server.address()))) {
        throw invalid(key, server + " is there twice", "write it once; weight= gives it more");
      }
      servers.add(server);
    }
    return servers;
  }

  private TcpServer server(String key, String text) {
    try {
      TcpServer server = TcpServerText.parse(text);
      rejectAbstractName(key, server.address());
      return server;
    } catch (TcpServerText.InvalidServerException e) {
      throw invalid(key, e.reason(), e.fix());
    }
  }

  private void rejectAbstractName(String key, Endpoint address) {
    if (address.isUnixSocket()
        && UnixSockets.isAbstract(address.host())
        && !transport.hasAbstractNames()) {
      throw invalid(
          key,
          "abstract names of Unix sockets need Linux and transport epoll or io_uring",
          "write the path of a socket, or host and port");
    }
  }

  private void rejectUseless(List<TcpServer> servers) {
    if (servers.stream().allMatch(TcpServer::down)) {
      throw invalid("servers", "all servers are down", "remove down from one of them");
    }
    if (servers.stream().allMatch(TcpServer::backup)) {
      throw invalid("servers", "all servers are backups", "remove backup from one of them");
    }
  }

  private void rejectConflicts(TcpBalance balance, List<TcpServer> servers) {
    if (!balance.hasBackups()) {
      rejectAny(
          servers.stream().anyMatch(TcpServer::backup),
          balance.key() + " has no backups",
          "remove backup, or write round-robin or least-connections");
      rejectAny(
          servers.stream().anyMatch(server -> !server.slowStart().isZero()),
          balance.key() + " has no slow-start",
          "remove slow-start, or write round-robin or least-connections");
    }
    int weights = servers.stream().mapToInt(TcpServer::weight).sum();
    rejectAny(
        balance == TcpBalance.CONSISTENT_HASH && weights > MOST_WEIGHT_OF_RING,
        "the sum of the weights is " + weights + ", and may be " + MOST_WEIGHT_OF_RING + " at most",
        "write smaller weights in the same proportion");
  }

  private void rejectAny(boolean conflict, String reason, String fix) {
    if (conflict) {
      throw invalid("balance", reason, fix);
    }
  }

  private InvalidConfigurationException invalid(String key, String reason, String fix) {
    return reader.invalid(upstream + "tcp." + key, reason, fix);
  }
}
