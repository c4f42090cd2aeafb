package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.fault.Fault.Place;
import io.penstock.server.it.DispatchMode;
import io.penstock.server.it.Load;
import io.penstock.server.it.ReferenceServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.convert.DurationStyle;

/**
 * Runs for the time of {@code -Dpenstock.faults.duration=20m}, with faults of nodes and of the
 * network every few seconds, in parallel. In the end resource usage must be back at its start.
 */
class SoakIT {

  /** The longest pause between two faults at one place. */
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Longer than pools keep unused threads and connections, which is a minute. */
  private static final Duration IDLE = Duration.ofSeconds(90);

  /**
   * The connections of two event loops to six nodes, in each protocol, and those for topology
   * refreshes and health checks.
   */
  private static final int CONNECTIONS = 2 * 6 * 2 + 2 * 6;

  @Test
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void resourceUsageReturnsToItsStart() {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    FaultRun.assumeFullRun("the soak");
    Duration duration = DurationStyle.detectAndParse(FaultRun.setting("duration"));
    long seed = FaultRun.seed();
    System.out.println(
        "soak: -Dpenstock.faults.seed=" + seed + ", " + DispatchMode.dispatch() + ", " + duration);
    var random = new Random(seed);
    try (ClusterTestbed testbed =
        ClusterTestbed.start(FaultRun.transports().getFirst(), FaultsIT.COMMAND_TIMEOUT)) {
      warmUp(testbed, seed);
      ResourceUsage before = settled(testbed, _ -> false);
      System.out.println("soak: before: " + before);
      soak(testbed, random, duration);
      ResourceUsage after = settled(testbed, now -> !now.exceeds(before, CONNECTIONS));
      System.out.println("soak: after: " + after);
      assertThat(after.exceeds(before, CONNECTIONS))
          .as(
              "%s, before %s; %s, before %s; %s, relays %s",
              after, before, after.threads(), before.threads(), OpenFiles.names(), testbed.relays())
          .isFalse();
    }
  }

  /** Makes every node a master once, and lets every kind of client connect and disconnect. */
  private static void warmUp(FaultTestbed testbed, long seed) {
    var timeline = new FaultTimeline();
    try (FaultWorkload workload = new FaultWorkload(testbed, timeline, seed)) {
      var faultRun = new FaultRun(testbed, workload, timeline);
      workload.start();
      for (Fault fault : ClusterFaults.all()) {
        faultRun.inject(fault, seed);
      }
      workload.stopAndVerify();
    }
  }

  private static void soak(FaultTestbed testbed, Random random, Duration duration) {
    var timeline = new FaultTimeline();
    try (FaultWorkload workload = new FaultWorkload(testbed, timeline, random.nextLong());
        Load faults = new Load()) {
      var faultRun = new FaultRun(testbed, workload, timeline);
      workload.start();
      for (Place place : Place.values()) {
        var own = new Random(random.nextLong());
        List<Fault> choice =
            FaultRun.chosen(ClusterFaults.all()).stream().filter(f -> f.place() == place).toList();
        faults.add(
            place.toString(),
            () -> {
              faultRun.inject(choice.get(own.nextInt(choice.size())), own.nextLong());
              LockSupport.parkNanos(own.nextLong(MAX_PAUSE_NANOS));
            });
      }
      Awaitility.await("the end")
          .pollInterval(Duration.ofSeconds(1))
          .atMost(duration.plusMinutes(5))
          .during(duration)
          .until(() -> {
            workload.check();
            faults.check();
            return true;
          });
      faults.stop();
      workload.stopAndVerify();
      System.out.println("soak: " + workload.steps() + " steps; " + workload.counts());
    }
  }

  /**
   * Returns the resource usage when no client is connected, and unused resources are released or
   * {@code enough} is met.
   */
  private static ResourceUsage settled(FaultTestbed testbed, Predicate<ResourceUsage> enough) {
    Awaitility.await("no client is connected")
        .atMost(IDLE)
        .until(() -> testbed.proxy().stats().clientsNow() == 0);
    long began = System.nanoTime();
    ResourceUsage[] last = {ResourceUsage.now(testbed)};
    Awaitility.await("unused resources are released")
        .pollInterval(Duration.ofSeconds(3))
        .atMost(IDLE.multipliedBy(2))
        .until(() -> {
          last[0] = ResourceUsage.now(testbed);
          return enough.test(last[0]) || System.nanoTime() - began > IDLE.toNanos();
        });
    return last[0];
  }
}
