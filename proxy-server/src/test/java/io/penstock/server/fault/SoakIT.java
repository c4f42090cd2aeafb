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
 * Everything at once for as long as {@code -Dpenstock.faults.duration=20m} says: faults of nodes
 * and of the network every few seconds, side by side. In the end everything is where it began.
 */
class SoakIT {

  /** At most so long nothing new happens at a place; now and then at both. */
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Longer than pools of threads and of connections keep what nobody needs: a minute. */
  private static final Duration IDLE = Duration.ofSeconds(90);

  /**
   * Of two loops to six nodes, in each protocol; and those that look at the topology and the
   * servers.
   */
  private static final int CONNECTIONS = 2 * 6 * 2 + 2 * 6;

  @Test
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void everythingEndsWhereItBegan() {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, which tells nodes from Penstock,");
    FaultRun.assumeWhole("the soak");
    Duration duration = DurationStyle.detectAndParse(FaultRun.setting("duration"));
    long seed = FaultRun.seed();
    System.out.println(
        "soak: -Dpenstock.faults.seed=" + seed + ", " + DispatchMode.dispatch() + ", " + duration);
    var random = new Random(seed);
    try (FaultTestbed scene =
        FaultTestbed.start(FaultRun.transports().getFirst(), FaultsIT.COMMAND_TIMEOUT)) {
      warmUp(scene, seed);
      ResourceUsage before = settled(scene, _ -> false);
      System.out.println("soak: before: " + before);
      soak(scene, random, duration);
      ResourceUsage after = settled(scene, now -> !now.exceeds(before, CONNECTIONS));
      System.out.println("soak: after: " + after);
      assertThat(after.exceeds(before, CONNECTIONS))
          .as(
              "%s, before %s; %s, before %s; %s, relays %s",
              after, before, after.threads(), before.threads(), OpenFiles.names(), scene.relays())
          .isFalse();
    }
  }

  /** Every node has been a master, and every kind of client has come and gone. */
  private static void warmUp(FaultTestbed scene, long seed) {
    var weather = new FaultTimeline();
    try (FaultWorkload crowd = new FaultWorkload(scene, weather, scene.tags(), seed)) {
      var campaign = new FaultRun(scene, crowd, weather);
      crowd.begin();
      for (Fault fault : Faults.all()) {
        campaign.strike(fault, seed);
      }
      crowd.end();
    }
  }

  private static void soak(FaultTestbed scene, Random random, Duration duration) {
    var weather = new FaultTimeline();
    try (FaultWorkload crowd = new FaultWorkload(scene, weather, scene.tags(), random.nextLong());
        Load faults = new Load()) {
      var campaign = new FaultRun(scene, crowd, weather);
      crowd.begin();
      for (Place place : Place.values()) {
        var own = new Random(random.nextLong());
        List<Fault> choice = FaultRun.faults().stream().filter(f -> f.place() == place).toList();
        faults.add(
            place.toString(),
            () -> {
              campaign.strike(choice.get(own.nextInt(choice.size())), own.nextLong());
              LockSupport.parkNanos(own.nextLong(CALM_NANOS));
            });
      }
      Awaitility.await("the end")
          .pollInterval(Duration.ofSeconds(1))
          .atMost(duration.plusMinutes(5))
          .during(duration)
          .until(() -> {
            crowd.check();
            faults.check();
            return true;
          });
      faults.stop();
      crowd.end();
      System.out.println("soak: " + crowd.steps() + " steps; " + crowd.tally());
    }
  }

  /**
   * When nobody is connected any more, and what is only kept for a while is gone or there is no
   * more than enough.
   */
  private static ResourceUsage settled(FaultTestbed scene, Predicate<ResourceUsage> enough) {
    Awaitility.await("nobody is connected")
        .atMost(IDLE)
        .until(() -> scene.proxy().stats().clientsNow() == 0);
    long began = System.nanoTime();
    ResourceUsage[] last = {ResourceUsage.now(scene)};
    Awaitility.await("what is kept for a while is gone")
        .pollInterval(Duration.ofSeconds(3))
        .atMost(IDLE.multipliedBy(2))
        .until(() -> {
          last[0] = ResourceUsage.now(scene);
          return enough.test(last[0]) || System.nanoTime() - began > IDLE.toNanos();
        });
    return last[0];
  }
}
