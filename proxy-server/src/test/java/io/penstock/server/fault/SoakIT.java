package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.fault.Fault.Place;
import io.penstock.server.it.Load;
import io.penstock.server.it.Reference;
import io.penstock.server.it.Ways;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.convert.DurationStyle;

/**
 * Everything at once for as long as {@code -Dpenstock.faults.duration=20m} says: faults of nodes
 * and of the network every few seconds, side by side. In the end everything is where it began.
 */
class SoakIT {

  private static final Duration IDLE = Duration.ofSeconds(60);

  @Test
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void everythingEndsWhereItBegan() {
    Reference.assumeAtLeast(7, 0, "bind-source-addr, which tells nodes from Penstock,");
    Campaign.assumeWhole("the soak");
    Duration duration = DurationStyle.detectAndParse(Campaign.setting("duration"));
    long seed = Campaign.seed();
    System.out.println(
        "soak: -Dpenstock.faults.seed=" + seed + ", " + Ways.dispatch() + ", " + duration);
    var random = new Random(seed);
    try (Scene scene = Scene.start(Campaign.transports().getFirst(), FaultsIT.COMMAND_TIMEOUT)) {
      warmUp(scene, seed);
      Resources before = settled(scene, null);
      System.out.println("soak: before: " + before);
      soak(scene, random, duration);
      Resources after = settled(scene, before);
      System.out.println("soak: after: " + after);
      assertThat(after.exceeds(before)).as("%s, and before %s", after, before).isFalse();
    }
  }

  /** Every node has been a master, and every kind of client has come and gone. */
  private static void warmUp(Scene scene, long seed) {
    var weather = new Weather();
    try (Crowd crowd = new Crowd(scene, weather, scene.tags(), seed)) {
      var campaign = new Campaign(scene, crowd, weather);
      crowd.begin();
      for (Fault fault : Faults.all()) {
        campaign.strike(fault, seed);
      }
      crowd.end();
    }
  }

  private static void soak(Scene scene, Random random, Duration duration) {
    var weather = new Weather();
    try (Crowd crowd = new Crowd(scene, weather, scene.tags(), random.nextLong());
        Load faults = new Load()) {
      var campaign = new Campaign(scene, crowd, weather);
      crowd.begin();
      for (Place place : Place.values()) {
        var own = new Random(random.nextLong());
        List<Fault> choice = Campaign.faults().stream().filter(f -> f.place() == place).toList();
        faults.add(
            place.toString(),
            () -> campaign.strike(choice.get(own.nextInt(choice.size())), own.nextLong()));
      }
      Awaitility.await("the end")
          .pollInterval(Duration.ofSeconds(1))
          .atMost(duration.plusMinutes(5))
          .during(duration)
          .until(
              () -> {
                crowd.check();
                faults.check();
                return true;
              });
      faults.stop();
      crowd.end();
      System.out.println("soak: " + crowd.steps() + " steps; " + crowd.tally());
    }
  }

  /** When nobody is connected any more and what is only kept for a while is gone. */
  private static Resources settled(Scene scene, @Nullable Resources bound) {
    Awaitility.await("nobody is connected")
        .atMost(IDLE)
        .until(() -> scene.proxy().stats().clientsNow() == 0);
    Resources[] last = {Resources.now()};
    Awaitility.await("what is kept for a while is gone")
        .atMost(IDLE)
        .pollInterval(Duration.ofSeconds(2))
        .until(
            () -> {
              Resources now = Resources.now();
              boolean same = now.files() == last[0].files() && now.threads() == last[0].threads();
              last[0] = now;
              return bound == null ? same : same || !now.exceeds(bound);
            });
    return last[0];
  }
}
