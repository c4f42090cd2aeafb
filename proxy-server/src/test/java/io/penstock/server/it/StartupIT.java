package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How a proxy finds its cluster. */
@ExtendWith(SharedCluster.class)
class StartupIT {

  /** A reserved address that this machine does not have. */
  private static final Endpoint NOBODY = new Endpoint("127.0.0.1", 1);

  @Test
  void waitsForAClusterThatIsDown() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().masters(3).start()) {
      cluster.members().forEach(Member::kill);
      try (ProxyFixture proxy =
              ProxyFixture.of(cluster)
                  .commandTimeout(Duration.ofSeconds(1))
                  .failoverHold(Duration.ZERO)
                  .start();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("PING")).isEqualTo("+PONG\r\n");
        Awaitility.await("the nodes have been asked")
            .until(() -> proxy.proxy().topologyStatus().lastRefresh() != null);
        String why =
            "-CLUSTERDOWN Hash slot not served: the topology is unknown: no usable answer from 3"
                + " nodes; 127.0.0.1:";
        assertThat(wire.call("SET", "k", "v")).startsWith(why).contains("Connection refused");
        assertThat(wire.call("MGET", "k", "l")).startsWith(why);
        assertThat(proxy.proxy().isReady()).isFalse();

        cluster.members().forEach(Member::restart);
        cluster.awaitHealthy();
        proxy.ready();
        assertThat(wire.call("SET", "k", "v")).isEqualTo("+OK\r\n");
        assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("v"));
      }
    }
  }

  @Test
  void anEarlyCommandIsServedIfTheClusterIsUpInTime() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().masters(3).start()) {
      cluster.members().forEach(Member::kill);
      try (ProxyFixture proxy =
              ProxyFixture.of(cluster).commandTimeout(Duration.ofSeconds(20)).start();
          RespClient wire = proxy.connect()) {
        wire.write(Wire.request("SET", "k", "v"))
            .write(Wire.request("APPEND", "k", "w"))
            .write(Wire.request("GET", "k"))
            .flush();
        cluster.members().forEach(Member::restart);
        assertThat(wire.read()).isEqualTo("+OK\r\n");
        assertThat(wire.read()).isEqualTo(":2\r\n");
        assertThat(wire.read()).isEqualTo(Wire.bulk("vw"));
      }
    }
  }

  @Test
  void oneSeedThatAnswersIsEnough(EmbeddedCluster cluster) {
    Endpoint live = ProxyFixture.node(cluster.replicas().getFirst());
    var upstream =
        new ClusterUpstreamSettings(List.of(NOBODY, new Endpoint("127.0.0.1", 2), live), null);
    try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
        RespClient wire = proxy.connect()) {
      serves(cluster, wire);
    }
  }

  @Test
  void seedsMayBeHostNames(EmbeddedCluster cluster) {
    var upstream =
        new ClusterUpstreamSettings(
            List.of(new Endpoint("localhost", cluster.masters().getFirst().port())), null);
    try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
        RespClient wire = proxy.connect()) {
      serves(cluster, wire);
    }
  }

  @Test
  void stopsWithoutEverHavingReachedACluster() {
    var upstream = new ClusterUpstreamSettings(List.of(NOBODY), null);
    ProxyFixture proxy = ProxyFixture.of(upstream).start();
    try (RespClient wire = proxy.connect()) {
      wire.send("GET", "k");
      proxy.close(); // fails when the event loops do not end
      assertThat(wire.isClosedByPeer()).isTrue();
    }
  }

  @Test
  void usesIpv6ForClientsAndNodes() {
    String why = whyNoIpv6();
    if (why != null) {
      System.out.println("skipped: no IPv6: " + why);
    }
    Assumptions.assumeTrue(why == null, "this machine has no IPv6: " + why);
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().masters(3).host("::1").start();
        ProxyFixture proxy = ProxyFixture.of(cluster).bind("::1").startReady();
        RespClient wire = proxy.connect()) {
      serves(cluster, wire);
      Member from = cluster.masterOf(7);
      Member to = cluster.masters().stream().filter(m -> m != from).findFirst().orElseThrow();
      String tag = Keys.tag(7);
      assertThat(wire.call("SET", tag, "moves")).isEqualTo("+OK\r\n");
      cluster.migrateSlot(7, from, to);
      assertThat(wire.call("GET", tag)).isEqualTo(Wire.bulk("moves"));
      assertThat(wire.call("CLIENT", "INFO")).contains(" addr=[0:0:0:0:0:0:0:1]:");
    }
  }

  private static @Nullable String whyNoIpv6() {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0));
      return null;
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void serves(EmbeddedCluster cluster, RespClient wire) {
    for (String tag : Keys.tagsOfMasters(cluster)) {
      assertThat(wire.call("SET", tag + "start", tag)).isEqualTo("+OK\r\n");
      assertThat(wire.call("GET", tag + "start")).isEqualTo(Wire.bulk(tag));
      assertThat(wire.call("DEL", tag + "start")).isEqualTo(":1\r\n");
    }
    Awaitility.await().until(() -> wire.call("PING").equals("+PONG\r\n"));
  }
}
