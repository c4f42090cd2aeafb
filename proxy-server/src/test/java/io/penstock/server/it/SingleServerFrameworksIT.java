package io.penstock.server.it;

import io.penstock.testkit.cluster.ServerProcess;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * In front of a single server, where all scenarios succeed: what fails elsewhere is due to slots.
 */
@Tag("thorough")
class SingleServerFrameworksIT extends Frameworks {

  private final ServerProcess server =
      ServerProcess.builder().option("notify-keyspace-events", "Egx").start();

  SingleServerFrameworksIT() {
    super(Set.of());
  }

  @BeforeAll
  void start() {
    use(ProxyFixture.of(server).commandTimeout(Duration.ofSeconds(10)).startReady());
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
