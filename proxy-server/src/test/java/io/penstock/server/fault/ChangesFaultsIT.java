package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.ReferenceServer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults of a cluster while the settings change all the time; see {@link FaultSuite}. By default
 * only faults of the network and failovers; all of them with {@code -Pfaults}.
 */
class ChangesFaultsIT {

  static Stream<Transport> transports() {
    return FaultRun.transports().stream();
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void faultsAreSurvivedWhileSettingsChange(Transport transport) {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    List<Fault> faults = FaultRun.isFull() ? ClusterFaults.all() : ClusterFaults.core();
    new FaultSuite("cluster with changing settings", faults, ClusterTestbed::startWithChanges)
        .run(transport, FaultsIT.COMMAND_TIMEOUT);
  }
}
