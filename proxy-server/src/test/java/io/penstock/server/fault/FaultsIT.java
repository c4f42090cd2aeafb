package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.DispatchMode;
import io.penstock.server.it.ReferenceServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One fault after the other under load, in an order that the seed decides. After each, everybody is
 * served again in time, and nobody gets an error any more. When something is found, the rest goes
 * on with a new cluster.
 *
 * <p>{@code -Dpenstock.faults.seed=N} repeats a run, {@code -Dpenstock.faults.only=text} runs those
 * faults only whose names contain the text, {@code -Dpenstock.faults.rounds=N} runs all of them so
 * often.
 */
class FaultsIT {

  static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(3);

  private record Blow(Fault fault, long seed) {}

  static Stream<Transport> transports() {
    return FaultRun.transports().stream();
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void nothingIsLostWrongOrStuck(Transport transport) {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, which tells nodes from Penstock,");
    long seed = FaultRun.seed();
    System.out.println(
        "faults: -Dpenstock.faults.seed="
            + seed
            + ", "
            + DispatchMode.dispatch()
            + ", "
            + transport);
    Deque<Blow> blows = schedule(new Random(seed));
    List<Throwable> found = new ArrayList<>();
    while (!blows.isEmpty()) {
      int left = blows.size();
      try {
        strike(blows, transport, seed);
      } catch (AssertionError | RuntimeException e) {
        System.out.println("faults: FOUND: " + e.getMessage());
        found.add(e);
        if (blows.size() == left) {
          break; // without anything having been done
        }
      }
    }
    if (!found.isEmpty()) {
      var error = new AssertionError(found.getFirst().getMessage(), found.getFirst());
      found.stream().skip(1).forEach(error::addSuppressed);
      throw error;
    }
  }

  private static void strike(Deque<Blow> blows, Transport transport, long seed) {
    var weather = new FaultTimeline();
    try (FaultTestbed scene = FaultTestbed.start(transport, COMMAND_TIMEOUT);
        FaultWorkload crowd = new FaultWorkload(scene, weather, scene.tags(), seed)) {
      var campaign = new FaultRun(scene, crowd, weather);
      try {
        crowd.begin();
        while (!blows.isEmpty()) {
          Blow blow = blows.removeFirst();
          campaign.strike(blow.fault(), blow.seed());
          crowd.awaitEverybody();
        }
        crowd.end();
      } finally {
        System.out.println("faults: " + crowd.steps() + " steps; " + crowd.tally());
        System.out.println("faults: sent again: " + scene.proxy().stats().redirects());
      }
    }
  }

  private static Deque<Blow> schedule(Random random) {
    Deque<Blow> blows = new ArrayDeque<>();
    for (int round = 0; round < FaultRun.rounds(); round++) {
      List<Fault> faults = FaultRun.faults();
      Collections.shuffle(faults, random);
      faults.forEach(fault -> blows.addLast(new Blow(fault, random.nextLong())));
    }
    return blows;
  }
}
