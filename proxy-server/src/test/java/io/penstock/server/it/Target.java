package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/** A target of requests: a server, or Penstock in front of servers. */
final class Target implements AutoCloseable {

  private static final Pattern BLOCKED = Pattern.compile("blocked_clients:(\\d+)");

  /** Sentinels subscribe to this channel of their master. */
  private static final String SENTINELS = "*1\r\n" + Wire.bulk("__sentinel__:hello");

  private static final List<List<String>> CLEANING =
      List.of(
          List.of("FLUSHALL"),
          List.of("SCRIPT", "FLUSH"),
          List.of("FUNCTION", "FLUSH"),
          List.of("SLOWLOG", "RESET"),
          List.of("LATENCY", "RESET"));

  private final String name;
  private final String host;
  private final int port;
  private final List<RespClient> nodes;
  private final List<RespClient> proxies; // between it and the nodes

  private Target(String name, String host, int port, List<RespClient> nodes) {
    this(name, host, port, nodes, List.of());
  }

  private Target(
      String name, String host, int port, List<RespClient> nodes, List<RespClient> proxies) {
    this.name = name;
    this.host = host;
    this.port = port;
    this.nodes = nodes;
    this.proxies = proxies;
  }

  static Target direct(ServerProcess server) {
    return new Target("a server", server.host(), server.port(), List.of(server.connect()));
  }

  /** Returns the only node of a cluster. */
  static Target direct(EmbeddedCluster cluster) {
    var member = cluster.masters().getFirst();
    return new Target("a cluster's node", member.host(), member.port(), nodes(cluster));
  }

  static Target through(ProxyFixture proxy, EmbeddedCluster cluster) {
    return new Target("cluster", proxy.host(), proxy.port(), nodes(cluster));
  }

  static Target through(ProxyFixture proxy, ServerProcess server) {
    return new Target("single", proxy.host(), proxy.port(), List.of(server.connect()));
  }

  static Target through(ProxyFixture proxy, SentinelGroup group) {
    List<RespClient> nodes = List.of(group.master().connect());
    return new Target("sentinel", proxy.host(), proxy.port(), nodes);
  }

  /** Returns Penstock in front of equal proxies of a server. */
  static Target through(ProxyFixture proxy, List<ProxyFixture> proxies, ServerProcess server) {
    return new Target(
        "proxies",
        proxy.host(),
        proxy.port(),
        List.of(server.connect()),
        proxies.stream().map(ProxyFixture::connect).toList());
  }

  static Target through(ProxyFixture proxy, ShardedServers servers) {
    List<RespClient> nodes = servers.servers().stream().map(ServerProcess::connect).toList();
    return new Target("shards", proxy.host(), proxy.port(), nodes);
  }

  private static List<RespClient> nodes(EmbeddedCluster cluster) {
    return cluster.masters().stream()
        .map(m -> RespClient.open(m.host(), m.port(), Duration.ofSeconds(10)))
        .toList();
  }

  /**
   * Returns the name; for Penstock {@code cluster}, {@code single}, {@code sentinel}, {@code
   * proxies} or {@code shards}.
   */
  String name() {
    return name;
  }

  /** Opens a connection with RESP2 or RESP3. */
  RespClient connect(int protocol) {
    RespClient wire = RespClient.open(host, port);
    String hello = wire.call("HELLO", Integer.toString(protocol));
    if (hello.startsWith("-")) {
      throw new IllegalStateException(name + ": " + hello);
    }
    return wire;
  }

  /** Sends one request on a new connection. */
  String call(String... words) {
    try (RespClient wire = connect(2)) {
      return wire.call(words);
    }
  }

  /** Removes all data, scripts and functions, and the slow log and other records of servers. */
  void clean() {
    for (RespClient node : nodes) {
      for (List<String> command : CLEANING) {
        node.text(command.toArray(new String[0]));
      }
    }
    call("SCRIPT", "FLUSH"); // Penstock keeps scripts too
    proxies.forEach(proxy -> proxy.text("SCRIPT", "FLUSH"));
    Awaitility.await("earlier clients are disconnected from " + name)
        .pollInterval(Duration.ofMillis(2))
        .until(this::hasNoSubscribers);
  }

  private boolean hasNoSubscribers() {
    return Stream.of("CHANNELS", "SHARDCHANNELS", "NUMPAT")
        .map(what -> call("PUBSUB", what))
        .allMatch(reply ->
            Set.of("*0\r\n", ":0\r\n", SENTINELS).contains(reply) || reply.startsWith("-"));
  }

  void awaitBlocked(int clients) {
    Awaitility.await(clients + " clients are blocked on " + name)
        .pollInterval(Duration.ofMillis(2))
        .atMost(Duration.ofSeconds(5))
        .until(() -> blocked() == clients);
  }

  private int blocked() {
    int sum = 0;
    for (RespClient node : nodes) {
      Matcher count = BLOCKED.matcher(node.text("INFO", "clients"));
      if (count.find()) {
        sum += Integer.parseInt(count.group(1));
      }
    }
    return sum;
  }

  @Override
  public void close() {
    nodes.forEach(RespClient::close);
    proxies.forEach(RespClient::close);
  }

  @Override
  public String toString() {
    return name;
  }
}
