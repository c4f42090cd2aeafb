package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.testkit.cluster.SentinelGroup;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A master that Sentinel manages, with TLS of the sentinels and the servers. */
class SentinelTlsIT {

  @Test
  void theMasterIsFoundAndFollowedOverTls() {
    var files = TlsOfTests.AUTHORITY.files(TlsOfTests.AUTHORITY.issue("node"));
    try (SentinelGroup group = SentinelGroup.builder().replicas(1).tls(files).start();
        ProxyFixture proxy = ProxyFixture.of(settings(group)).startReady();
        RespClient client = proxy.connect()) {
      assertThat(client.call("SET", "k", "v")).isEqualTo("+OK\r\n");
      assertPenstockUsesTls(group.master());

      ServerProcess next = group.failover();

      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(client.call("SET", "k", "w")).isEqualTo("+OK\r\n"));
      assertThat(next.text("GET", "k")).isEqualTo("w");
      assertThat(client.call("GET", "k")).isEqualTo(Wire.bulk("w"));
      assertPenstockUsesTls(next);
    }
  }

  private static SentinelUpstreamSettings settings(SentinelGroup group) {
    NodeTls tls = TlsOfTests.nodes();
    List<Endpoint> sentinels =
        group.sentinels().stream().map(s -> new Endpoint(s.host(), s.tlsPort())).toList();
    return new SentinelUpstreamSettings(
        sentinels, group.masterName(), null, 0, null, NodeTransport.of(tls), tls);
  }

  private static void assertPenstockUsesTls(ServerProcess master) {
    assertThat(master.text("CLIENT", "LIST").lines())
        .filteredOn(line -> line.contains("name=penstock"))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).contains(":" + master.tlsPort() + " "));
  }
}
