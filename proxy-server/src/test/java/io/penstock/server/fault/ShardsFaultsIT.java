package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.ReferenceServer;
import io.penstock.testkit.cluster.ServerProcess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The faults of servers that share the keys; see {@link FaultSuite}. */
class ShardsFaultsIT {

  static Stream<Transport> transports() {
    return FaultRun.transports().stream();
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void allFaultsAreSurvived(Transport transport) {
    ReferenceServer.assumeAtLeast(7, 0, "enable-debug-command");
    List<Fault> faults =
        new ArrayList<>(FaultRun.isFull() ? Faults.all() : Faults.ofEachUpstream());
    faults.add(Faults.node("a server is restarted", restarted(), ShardsFaultsIT::restart));
    new FaultSuite("shards", faults, ShardsTestbed::start).run(transport, FaultsIT.COMMAND_TIMEOUT);
  }

  private static Set<String> restarted() {
    Set<String> errors = new HashSet<>(Faults.LOST);
    errors.add("LOADING");
    return errors;
  }

  /** No write may be lost: the server has each on its disk before it answers. */
  private static void restart(FaultTestbed testbed, Random random, FaultTimeline.Entry entry) {
    ServerProcess server = testbed.anyMaster(random);
    server.kill();
    server.restart();
  }
}
