package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** In front of a cluster. */
@ExtendWith(SharedCluster.class)
class JavaClientsIT extends JavaClients {

  @BeforeAll
  void start(EmbeddedCluster cluster) {
    start(ProxyFixture.of(cluster));
  }
}
