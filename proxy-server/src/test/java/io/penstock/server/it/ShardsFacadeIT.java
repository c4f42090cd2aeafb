package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.wire.RespClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** In front of three servers that share the keys. */
class ShardsFacadeIT extends FacadeClients {

  private final ShardedServers servers = ShardedServers.start();

  @BeforeAll
  void startProxies() {
    use(() -> ProxyFixture.of(servers.upstream(null)));
  }

  @AfterAll
  void stopServers() {
    servers.close();
  }

  @Test
  void slotsAreOfTheFacadeOnly() {
    try (RespClient wire = one().connect()) {
      assertThat(wire.call("CLUSTER", "COUNTKEYSINSLOT", "1")).contains("no slots");
      assertThat(wire.call("CLUSTER", "GETKEYSINSLOT", "1", "10")).contains("no slots");
      assertThat(wire.call("SELECT", "1"))
          .isEqualTo("-ERR SELECT is not allowed in cluster mode\r\n");
    }
  }
}
