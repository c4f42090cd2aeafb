package io.penstock.server.it;

import io.penstock.core.listener.ListenAddress;
import io.penstock.testkit.cluster.ServerProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** With Unix sockets on both sides, in front of a single server. */
class UnixClientSuitesIT extends ClientSuites {

  private final ServerProcess server = ServerProcess.builder().unixSocket().start();

  UnixClientSuitesIT() {
    super(name -> !name.equals("slots"));
  }

  @BeforeAll
  void start() {
    String path = server.folder().resolve("penstock.sock").toString();
    use(ProxyFixture.ofUnixSocket(server).listen(new ListenAddress.Unix(path)).startReady());
  }

  @BeforeEach
  void clean() {
    server.text("FLUSHALL");
  }

  @AfterAll
  void stopServer() {
    server.close();
  }
}
