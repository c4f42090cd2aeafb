package io.penstock.server.fault;

import io.penstock.core.copies.ReplyPolicy;
import io.penstock.server.it.ReferenceServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The faults of a primary and its copies, under each policy; see {@link FaultSuite}. What clients
 * are told is true at the servers, and after a resync all of them are equal key by key.
 */
class CopiesFaultsIT {

  private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(800);

  private static CopiesServers servers;

  @BeforeAll
  static void start() {
    ReferenceServer.assumeAtLeast(7, 0, "PEXPIRETIME and enable-debug-command");
    servers = new CopiesServers();
  }

  @AfterAll
  static void stop() {
    if (servers != null) {
      servers.close();
    }
  }

  @ParameterizedTest
  @EnumSource(ReplyPolicy.class)
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void whatAPolicyPromisesHoldsInAllFaults(ReplyPolicy policy) {
    new FaultSuite(
            "copies, reply " + policy,
            CopiesFaults.all(policy, COMMAND_TIMEOUT.plusMillis(100).toMillis()),
            (transport, timeout) -> new CopiesTestbed(servers, policy, transport, timeout))
        .run(FaultRun.transports().getFirst(), COMMAND_TIMEOUT);
  }
}
