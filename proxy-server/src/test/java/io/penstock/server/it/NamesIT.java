package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Nodes restart with other addresses and the same host names. */
class NamesIT {

  private static final String NAME = "nodes.penstock.test";

  private static EmbeddedCluster cluster(String host) {
    return EmbeddedCluster.builder()
        .masters(3)
        .host(host)
        .option("cluster-announce-hostname", NAME)
        .option("cluster-preferred-endpoint-type", "hostname")
        .start();
  }

  private static List<Endpoint> named(List<Member> members) {
    return members.stream().map(member -> new Endpoint(NAME, member.port())).toList();
  }

  @Test
  void aClusterWithNewAddressesIsFoundByItsNames() throws UnknownHostException {
    TestNameResolver.put(NAME, "127.0.0.2");
    try (EmbeddedCluster old = cluster("127.0.0.2");
        EmbeddedCluster next = cluster("127.0.0.3")) {
      List<Endpoint> seeds =
          Stream.concat(named(old.members()).stream(), named(next.members()).stream()).toList();
      try (ProxyFixture proxy =
              ProxyFixture.of(new ClusterUpstreamSettings(seeds, null))
                  .commandTimeout(Duration.ofSeconds(1))
                  .failoverHold(Duration.ofSeconds(60))
                  .startReady();
          RespClient wire = proxy.connect()) {
        assertThat(wire.call("SET", "k", "old")).isEqualTo("+OK\r\n");

        old.members().forEach(Member::kill);
        proxy.awaitLoss();
        wire.send("SET", "k", "next");
        Awaitility.await("the request is held").until(() -> proxy.stats().held().now() == 1);
        TestNameResolver.put(NAME, "127.0.0.3");

        assertThat(wire.read()).isEqualTo("+OK\r\n");
        assertThat(wire.call("GET", "k")).isEqualTo(Wire.bulk("next"));
        assertThat(proxy.proxy().topology().shards())
            .allSatisfy(shard -> {
              assertThat(shard.master().host()).isEqualTo(NAME);
              assertThat(next.members()).anyMatch(m -> m.port() == shard.master().port());
            });
      }
    }
  }

  /** As managed services do: the name moves to the new primary, and the old one lives on. */
  @Test
  void aServerThatBecameAReplicaIsLeftForTheOneThatItsNameMeansNow() throws UnknownHostException {
    String name = "primary.penstock.test";
    TestNameResolver.put(name, "127.0.0.2");
    try (ServerProcess old = ServerProcess.builder().host("127.0.0.2").start();
        ServerProcess next = ServerProcess.builder().host("127.0.0.3").start()) {
      String port = Integer.toString(old.port());
      next.text("CONFIG", "SET", "port", port);
      var upstream = new SingleUpstreamSettings(new Endpoint(name, old.port()), null, 0);
      try (ProxyFixture proxy = ProxyFixture.of(upstream).startReady();
          RespClient wire = proxy.connect();
          RespClient blocked = proxy.connect()) {
        assertThat(wire.call("SET", "k", "old")).isEqualTo("+OK\r\n");
        old.text("REPLICAOF", "127.0.0.3", port);
        assertThat(wire.call("SET", "k", "rejected")).startsWith("-READONLY ");
        TestNameResolver.put(name, "127.0.0.3");

        Awaitility.await("the new primary is used, also by other clients")
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> {
              assertThat(wire.call("SET", "k", "next")).isEqualTo("+OK\r\n");
              assertThat(blocked.call("GET", "k")).isEqualTo(Wire.bulk("next"));
            });
        try (RespClient primary =
            RespClient.open("127.0.0.3", old.port(), Duration.ofSeconds(10))) {
          assertThat(primary.call("GET", "k")).isEqualTo(Wire.bulk("next"));
        }
        proxy.ready();
        assertThat(proxy.stats().nodes()).as("one node, by its address").hasSize(1);
      }
    }
  }
}
