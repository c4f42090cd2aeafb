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
 * What operators do on purpose, at length: nobody may notice. Part of the whole only; a build does
 * a little of it in {@link FaultsIT}.
 */
class MaintenanceIT {

  private static final int SLOTS = 16_384;
  private static final int FAILOVERS = 20;
  private static final int[] SIZES = {1, 100, 5_000, 100_000, 1_000_000};

  static List<Transport> transports() {
    return FaultsIT.transports().toList();
  }

  @BeforeEach
  void onDemand() {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, which tells nodes from Penstock,");
    FaultRun.assumeWhole("twenty failovers, and all slots on the move");
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void twentyPlannedFailovers(Transport transport) {
    long seed = FaultRun.seed();
    var weather = new FaultTimeline();
    try (FaultTestbed scene = FaultTestbed.start(transport, FaultsIT.COMMAND_TIMEOUT);
        FaultWorkload crowd = new FaultWorkload(scene, weather, scene.tags(), seed)) {
      var campaign = new FaultRun(scene, crowd, weather);
      Fault failover = Faults.named("a planned failover");
      var random = new Random(seed);
      crowd.begin();
      for (int i = 0; i < FAILOVERS; i++) {
        campaign.strike(failover, random.nextLong());
      }
      crowd.end();
      System.out.println("faults: " + crowd.steps() + " steps; " + crowd.tally());
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void allSlotsMove(Transport transport) {
    long seed = FaultRun.seed();
    var weather = new FaultTimeline();
    try (FaultTestbed scene = FaultTestbed.start(transport, FaultsIT.COMMAND_TIMEOUT);
        FaultWorkload crowd = new FaultWorkload(scene, weather, scene.tags(), seed);
        ClientConnection line = crowd.connect(ClientConnection.RESP2)) {
      String[] values = Arrays.stream(SIZES).mapToObj("x"::repeat).toArray(String[]::new);
      String[] keys = keys();
      for (int i = 0; i < keys.length; i++) {
        String value = values[i % 500 == 0 ? 4 : i % 4];
        assertThat(ask(line, "SET", keys[i], value)).isEqualTo("+OK\r\n");
      }
      crowd.begin();
      try (var spell = weather.open("slots move", Set.of());
          SlotMover mover = new SlotMover(scene.cluster())) {
        List<Member> masters = scene.cluster().masters();
        long began = System.nanoTime();
        for (int i = 0; i <= SLOTS / 3; i++) {
          moveOneEach(mover, masters, i);
          crowd.check();
        }
        long millis = (System.nanoTime() - began) / 1_000_000;
        System.out.println("faults: " + spell + ", all of them, in " + millis + " ms");
      }
      crowd.awaitEverybody();
      crowd.end();
      for (int i = 0; i < keys.length; i++) {
        String value = values[i % 500 == 0 ? 4 : i % 4];
        assertThat(ask(line, "GET", keys[i]).equals(Wire.bulk(value))).as(keys[i]).isTrue();
      }
      System.out.println("faults: " + crowd.steps() + " steps; " + crowd.tally());
    }
  }

  /** A master that gives its last slot away becomes a replica, so each gets one for one. */
  private static void moveOneEach(SlotMover mover, List<Member> masters, int i) {
    for (int m = 0; m < 3; m++) {
      int slot = m * SLOTS / 3 + i;
      if (slot < (m + 1) * SLOTS / 3) {
        mover.move(slot, masters.get(m), masters.get((m + 1) % 3), 2);
      }
    }
  }

  /** One of each fourth slot or so. */
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

  private static String ask(ClientConnection line, String... request) {
    return line.exchange(List.<String[]>of(request)).getFirst();
  }
}
