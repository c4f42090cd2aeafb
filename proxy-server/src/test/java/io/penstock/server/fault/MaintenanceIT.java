package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.Slot;
import io.penstock.core.transport.Transport;
import io.penstock.server.it.ReferenceServer;
import io.penstock.testkit.cluster.Member;
import io.penstock.testkit.wire.Wire;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Planned operations, at length: no client may get an error. Runs only in a full run; a build
 * covers a little of it in {@link FaultsIT}.
 */
class MaintenanceIT {

  private static final int SLOTS = 16_384;
  private static final int FAILOVERS = 20;
  private static final int[] SIZES = {1, 100, 5_000, 100_000, 1_000_000};

  static List<Transport> transports() {
    return FaultsIT.transports().toList();
  }

  @BeforeEach
  void assumeFullRun() {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    FaultRun.assumeFullRun("twenty failovers, and a move of all slots");
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void twentyPlannedFailovers(Transport transport) {
    long seed = FaultRun.seed();
    var timeline = new FaultTimeline();
    try (ClusterTestbed testbed = ClusterTestbed.start(transport, FaultsIT.COMMAND_TIMEOUT);
        FaultWorkload workload = new FaultWorkload(testbed, timeline, seed)) {
      var faultRun = new FaultRun(testbed, workload, timeline);
      Fault failover = ClusterFaults.named("a planned failover");
      var random = new Random(seed);
      workload.start();
      for (int i = 0; i < FAILOVERS; i++) {
        faultRun.inject(failover, random.nextLong());
      }
      workload.stopAndVerify();
      System.out.println("faults: " + workload.steps() + " steps; " + workload.counts());
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void allSlotsMove(Transport transport) {
    long seed = FaultRun.seed();
    var timeline = new FaultTimeline();
    try (ClusterTestbed testbed = ClusterTestbed.start(transport, FaultsIT.COMMAND_TIMEOUT);
        FaultWorkload workload = new FaultWorkload(testbed, timeline, seed);
        ClientConnection connection = workload.connect(ClientConnection.RESP2)) {
      String[] values = Arrays.stream(SIZES).mapToObj("x"::repeat).toArray(String[]::new);
      String[] keys = keys();
      for (int i = 0; i < keys.length; i++) {
        String value = values[i % 500 == 0 ? 4 : i % 4];
        assertThat(call(connection, "SET", keys[i], value)).isEqualTo("+OK\r\n");
      }
      workload.start();
      try (var entry = timeline.begin("slots move", Set.of());
          SlotMover mover = new SlotMover(testbed.cluster())) {
        List<Member> masters = testbed.cluster().masters();
        long began = System.nanoTime();
        for (int i = 0; i <= SLOTS / 3; i++) {
          moveOneEach(mover, masters, i);
          workload.check();
        }
        long millis = (System.nanoTime() - began) / 1_000_000;
        System.out.println("faults: " + entry + ", all of them, in " + millis + " ms");
      }
      workload.awaitFullSteps();
      workload.stopAndVerify();
      for (int i = 0; i < keys.length; i++) {
        String value = values[i % 500 == 0 ? 4 : i % 4];
        assertThat(call(connection, "GET", keys[i]).equals(Wire.bulk(value))).as(keys[i]).isTrue();
      }
      System.out.println("faults: " + workload.steps() + " steps; " + workload.counts());
    }
  }

  /** Moves one slot from each master to the next. A master without slots would become a replica. */
  private static void moveOneEach(SlotMover mover, List<Member> masters, int i) {
    for (int m = 0; m < 3; m++) {
      int slot = m * SLOTS / 3 + i;
      if (slot < (m + 1) * SLOTS / 3) {
        mover.move(slot, masters.get(m), masters.get((m + 1) % 3), 2);
      }
    }
  }

  /** Returns keys for about one in four slots. */
  private static String[] keys() {
    boolean[] seen = new boolean[SLOTS];
    String[] keys = new String[SLOTS / 4];
    int count = 0;
    for (int i = 0; count < keys.length; i++) {
      String key = "moved:" + i;
      int slot = Slot.of(Wire.bytes(key));
      if (!seen[slot]) {
        seen[slot] = true;
        keys[count++] = key;
      }
    }
    return keys;
  }

  private static String call(ClientConnection connection, String... request) {
    return connection.exchange(List.<String[]>of(request)).getFirst();
  }
}
