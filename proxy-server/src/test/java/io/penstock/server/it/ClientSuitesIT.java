package io.penstock.server.it;

import io.penstock.testkit.cluster.EmbeddedCluster;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** In front of a cluster. */
@ExtendWith(SharedCluster.class)
class ClientSuitesIT extends ClientSuites {

  ClientSuitesIT() {
    super(_ -> true);
  }

  @BeforeAll
  void start(EmbeddedCluster cluster) {
    use(ProxyFixture.of(cluster).startReady());
  }

  @BeforeEach
  void clean(EmbeddedCluster cluster) {
    cluster.masters().forEach(master -> master.text("FLUSHALL"));
  }
}
