package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.ReferenceServer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The faults of a master with replicas that Sentinel manages; see {@link FaultSuite}. */
class SentinelFaultsIT {

  static Stream<Transport> transports() {
    return FaultRun.transports().stream();
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void allFaultsAreSurvived(Transport transport) {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    List<Fault> faults = FaultRun.isFull() ? SentinelFaults.all() : SentinelFaults.ofABuild();
    new FaultSuite("Sentinel", faults, SentinelTestbed::start)
        .run(transport, FaultsIT.COMMAND_TIMEOUT);
  }
}
