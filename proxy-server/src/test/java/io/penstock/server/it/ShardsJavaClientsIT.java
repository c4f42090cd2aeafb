package io.penstock.server.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** In front of three servers that share the keys. */
class ShardsJavaClientsIT extends JavaClients {

  private final ShardedServers servers = ShardedServers.start();

  @BeforeAll
  void start() {
    start(ProxyFixture.of(servers.upstream(null)));
  }

  @AfterAll
  void stopServers() {
    servers.close();
  }
}
