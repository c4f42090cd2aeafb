package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.tls.TestAuthority;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** With TLS on both sides, in front of a cluster. */
class TlsClientSuitesIT extends ClientSuites {

  private static final TestAuthority AUTHORITY = TlsOfTests.AUTHORITY;

  private final EmbeddedCluster cluster =
      EmbeddedCluster.builder().masters(3).tls(AUTHORITY.files(AUTHORITY.issue("node"))).start();

  TlsClientSuitesIT() {
    super(_ -> true, AUTHORITY);
  }

  @BeforeAll
  void start() {
    use(ProxyFixture.of(cluster, TlsOfTests.nodes()).tls(TlsOfTests.listener()).startReady());
  }

  @BeforeEach
  void clean() {
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }

  @AfterAll
  void stopCluster() {
    cluster.close();
  }
}
