package io.penstock.server.it;

import io.penstock.testkit.cluster.SentinelGroup;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;

/** In front of a master that Sentinel manages. */
@ExtendWith(SharedGroup.class)
class SentinelJavaClientsIT extends JavaClients {

  @BeforeAll
  void start(SentinelGroup group) {
    start(ProxyFixture.of(group));
  }
}
