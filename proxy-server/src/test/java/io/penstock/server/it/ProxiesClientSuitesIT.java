package io.penstock.server.it;

import io.penstock.testkit.cluster.ServerProcess;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** In front of two Penstocks, which are in front of one server: all keys are in one partition. */
class ProxiesClientSuitesIT extends ClientSuites {

  private final ServerProcess server = ServerProcess.start();
  private final List<ProxyFixture> proxies =
      Stream.generate(() -> ProxyFixture.of(server).startReady()).limit(2).toList();

  ProxiesClientSuitesIT() {
    super(name -> !name.equals("slots"));
  }

  @BeforeAll
  void start() {
    use(ProxyFixture.ofProxies(proxies).startReady());
  }

  @BeforeEach
  void clean() {
    server.text("FLUSHALL");
  }

  @AfterAll
  void stopProxies() {
    proxies.forEach(ProxyFixture::close);
    server.close();
  }
}
