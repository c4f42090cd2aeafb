package io.penstock.server.it;

import io.penstock.testkit.cluster.SentinelGroup;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** In front of a master that Sentinel manages: all keys are in one partition. */
@ExtendWith(SharedGroup.class)
class SentinelClientSuitesIT extends ClientSuites {

  SentinelClientSuitesIT() {
    super(name -> !name.equals("slots"));
  }

  @BeforeAll
  void start(SentinelGroup group) {
    use(ProxyFixture.of(group).startReady());
  }

  @BeforeEach
  void clean(SentinelGroup group) {
    group.master().text("FLUSHALL");
  }
}
