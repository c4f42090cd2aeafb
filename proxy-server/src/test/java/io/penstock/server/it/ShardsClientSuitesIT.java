package io.penstock.server.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** In front of three servers that share the keys. */
class ShardsClientSuitesIT extends ClientSuites {

  private final ShardedServers servers = ShardedServers.start();

  ShardsClientSuitesIT() {
    super(name -> !name.equals("slots"));
  }

  @BeforeAll
  void start() {
    use(ProxyFixture.of(servers.upstream(null)).startReady());
  }

  @BeforeEach
  void clean() {
    servers.clear();
  }

  @AfterAll
  void stopServers() {
    servers.close();
  }
}
