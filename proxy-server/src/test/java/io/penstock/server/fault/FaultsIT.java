package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.ReferenceServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All faults of a cluster; see {@link FaultSuite}. */
class FaultsIT {

  static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(3);

  static Stream<Transport> transports() {
    return FaultRun.transports().stream();
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void allFaultsAreSurvived(Transport transport) {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    new FaultSuite("cluster", ClusterFaults.all(), ClusterTestbed::start)
        .run(transport, COMMAND_TIMEOUT);
  }
}
