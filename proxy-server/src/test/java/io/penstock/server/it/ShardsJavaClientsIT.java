package io.penstock.server.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** In front of three servers that share the keys. */
class ShardsJavaClientsIT extends JavaClients {

  private final ShardedServers servers = ShardedServers.start();

  @BeforeAll
  void start() {
    use(ProxyFixture.of(servers.upstream(null)).startReady());
  }

  @AfterAll
  void stopServers() {
    servers.close();
  }
}
