package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.cluster.Slot;
import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.HeaderRelay;
import io.penstock.testkit.network.ParsedHeader;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes behind load balancers that require the PROXY protocol. */
class ProxyHeadersToNodesIT {

  private static final NodeTransport V1 = new NodeTransport(null, HAProxyProtocolVersion.V1);
  private static final NodeTransport V2 = new NodeTransport(null, HAProxyProtocolVersion.V2);

  /** The address that nodes connect from, if they go through relays too. */
  private static final String NODES = "127.0.0.2";

  private static ProxyFixture.Builder single(
      String host, int port, int database, NodeTransport how) {
    return ProxyFixture.of(
        new SingleUpstreamSettings(new Endpoint(host, port), null, database).with(how));
  }

  private static void assertAllNameTheirEnds(HeaderRelay relay, int version) {
    assertThat(relay.refused()).isZero();
    assertThat(relay.connected())
        .isNotEmpty()
        .allMatch(HeaderRelay.Connected::namesItsEnds)
        .extracting(HeaderRelay.Connected::header)
        .extracting(ParsedHeader::version)
        .containsOnly(version);
  }

  /** Uses shared, leased and subscribed connections and those of other databases. */
  private static void useAllKindsOfConnections(ProxyFixture proxy) {
    try (RespClient client = proxy.connect();
        RespClient other = proxy.connect()) {
      assertThat(client.call("HELLO", "3")).startsWith("%");
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertThat(client.call("SELECT", "5")).isEqualTo("+OK\r\n");
      assertThat(client.call("GET", "k")).isEqualTo("_\r\n");
      client.send("BLPOP", "queue", "0");
      assertThat(other.call("SELECT", "5")).isEqualTo("+OK\r\n");
      assertThat(other.call("RPUSH", "queue", "x")).isEqualTo(":1\r\n");
      assertThat(client.read()).startsWith("*2\r\n");
      assertThat(client.call("SUBSCRIBE", "news")).startsWith(">3");
      await().until(() -> other.call("PUBLISH", "news", "hello").equals(":1\r\n"));
      assertThat(client.read()).endsWith(Wire.bulk("hello"));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"IO_URING", "EPOLL", "NIO"})
  void allConnectionsBeginWithAHeader(Transport transport) {
    if (transport.unavailability() != null) {
      System.out.println("skipped: " + transport + " is not available");
      return;
    }
    try (ServerProcess server = ServerProcess.builder().start();
        HeaderRelay relay = HeaderRelay.to(server.host(), server.port())) {
      for (NodeTransport how : List.of(V1, V2)) {
        int before = relay.connected().size();
        try (ProxyFixture proxy =
            single("127.0.0.1", relay.port(), 3, how).transport(transport).startReady()) {
          useAllKindsOfConnections(proxy);
        }
        assertThat(relay.refused()).isZero();
        assertThat(relay.connected().subList(before, relay.connected().size()))
            .hasSizeGreaterThan(4)
            .allMatch(HeaderRelay.Connected::namesItsEnds)
            .allMatch(each -> each.header().version() == (how.equals(V1) ? 1 : 2));
      }
      assertThat(server.text("INFO", "keyspace")).contains("db3:keys=1");
    }
  }

  @ParameterizedTest
  @CsvSource({"V1,1", "V2,2"})
  void tlsFollowsTheHeader(HAProxyProtocolVersion how, int version) {
    var authority = TlsOfTests.AUTHORITY;
    try (ServerProcess server =
            ServerProcess.builder().tls(authority.files(authority.issue("node"))).start();
        HeaderRelay relay = HeaderRelay.to(server.host(), server.tlsPort());
        ProxyFixture proxy =
            single("localhost", relay.port(), 0, new NodeTransport(TlsOfTests.nodes(), how))
                .startReady()) {
      useAllKindsOfConnections(proxy);
      assertAllNameTheirEnds(relay, version);
    }
  }

  @Test
  void headersHaveAddressesOfIpv6() throws Exception {
    if (!hasIpv6()) {
      System.out.println("skipped: this machine has no address ::1");
      return;
    }
    try (ServerProcess server = ServerProcess.builder().start();
        HeaderRelay relay = HeaderRelay.to(server.host(), server.port(), "::1", _ -> false);
        ProxyFixture proxy = single("::1", relay.port(), 0, V2).startReady()) {
      useAllKindsOfConnections(proxy);
      assertAllNameTheirEnds(relay, 2);
      InetSocketAddress source = relay.connected().getFirst().header().source();
      assertThat(Objects.requireNonNull(source).getAddress()).isInstanceOf(Inet6Address.class);
    }
  }

  private static boolean hasIpv6() throws Exception {
    return NetworkInterface.getByInetAddress(InetAddress.ofLiteral("::1")) != null;
  }

  @Test
  void discoveredNodesAndRedirectsAreFollowed() {
    Map<Member, HeaderRelay> relays = new HashMap<>();
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().masters(3).start()) {
      List<Endpoint> seeds = new ArrayList<>();
      for (Member member : cluster.members()) {
        HeaderRelay relay = HeaderRelay.to(member.host(), member.port());
        relays.put(member, relay);
        String announced = Integer.toString(relay.port());
        member.text("CONFIG", "SET", "cluster-announce-port", announced);
        seeds.add(new Endpoint("127.0.0.1", relay.port()));
      }
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() ->
              cluster.members().stream()
                  .map(member -> member.text("CLUSTER", "NODES"))
                  .allMatch(nodes ->
                      relays.values().stream()
                          .allMatch(r -> nodes.contains("127.0.0.1:" + r.port() + "@"))));
      try (ProxyFixture proxy =
          ProxyFixture.of(new ClusterUpstreamSettings(seeds.subList(0, 1), null).with(V2))
              .startReady()) {
        useTheCluster(cluster, proxy);
      }
      relays.values().forEach(relay -> assertAllNameTheirEnds(relay, 2));
    } finally {
      relays.values().forEach(HeaderRelay::close);
    }
  }

  private static void useTheCluster(EmbeddedCluster cluster, ProxyFixture proxy) {
    try (RespClient client = proxy.connect()) {
      for (int i = 0; i < 100; i++) {
        assertThat(client.call("SET", "key" + i, "v")).isEqualTo("+OK\r\n");
      }
      int slot = Slot.of(Wire.bytes("key1"));
      Member home = cluster.masterOf(slot);
      Member guest =
          cluster.masters().stream().filter(other -> !other.equals(home)).findFirst().orElseThrow();
      cluster.migrateSlot(slot, home, guest);
      assertThat(client.call("GET", "key1")).isEqualTo(Wire.bulk("v"));
    }
  }

  @Test
  void sentinelsGetNoHeaderAndTheirNodesDo() {
    List<HeaderRelay> relays = new ArrayList<>();
    try (SentinelGroup group =
        SharedGroup.builder()
            .option("bind-source-addr", NODES)
            .sentinelOption("bind-source-addr", NODES)
            .announced(node -> {
              HeaderRelay relay =
                  HeaderRelay.to(
                      node.host(),
                      node.port(),
                      "127.0.0.1",
                      peer -> peer.getHostAddress().equals(NODES));
              relays.add(relay);
              return relay.port();
            })
            .start()) {
      List<Endpoint> sentinels =
          group.sentinels().stream().map(s -> new Endpoint(s.host(), s.port())).toList();
      var upstream =
          new SentinelUpstreamSettings(sentinels, group.masterName(), null, 0, null).with(V2);
      try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
          RespClient client = proxy.connect()) {
        assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
        group.failover();
        await().until(() -> client.call("SET", "k", "w").equals("+OK\r\n"));
      }
      assertThat(relays).extracting(HeaderRelay::refused).containsOnly(0);
      assertThat(relays).filteredOn(relay -> !relay.connected().isEmpty()).hasSizeGreaterThan(1);
    } finally {
      relays.forEach(HeaderRelay::close);
    }
  }

  @Test
  void aBalancerThatGetsNoHeaderClosesTheConnection() {
    try (ServerProcess server = ServerProcess.builder().start();
        HeaderRelay relay = HeaderRelay.to(server.host(), server.port());
        ProxyFixture proxy =
            single("127.0.0.1", relay.port(), 0, NodeTransport.PLAIN)
                .failoverHold(Duration.ZERO)
                .commandTimeout(Duration.ofMillis(500))
                .start();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).startsWith("-UNAVAILABLE");
      await().until(() -> relay.refused() > 0);
      assertThat(proxy.proxy().isReady()).isFalse();
      assertThat(relay.connected()).isEmpty();
    }
  }
}
