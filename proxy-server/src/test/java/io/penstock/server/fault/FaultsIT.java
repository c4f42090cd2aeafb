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
 * Injects one fault after the other under load, in an order that depends on the seed. After each,
 * all clients must be served again in time, without errors. After a failure the remaining faults
 * run with a new cluster.
 *
 * <p>{@code -Dpenstock.faults.seed=N} repeats a run, {@code -Dpenstock.faults.only=text} runs only
 * the faults whose names contain the text, {@code -Dpenstock.faults.rounds=N} runs all of them N
 * times.
 */
class FaultsIT {

  static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(3);

  private record ScheduledFault(Fault fault, long seed) {}

  static Stream<Transport> transports() {
    return FaultRun.transports().stream();
  }

  @ParameterizedTest
  @MethodSource("transports")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void allFaultsAreSurvived(Transport transport) {
    ReferenceServer.assumeAtLeast(7, 0, "bind-source-addr, to tell nodes from Penstock,");
    long seed = FaultRun.seed();
    System.out.println(
        "faults: -Dpenstock.faults.seed="
            + seed
            + ", "
            + DispatchMode.dispatch()
            + ", "
            + transport);
    Deque<ScheduledFault> schedule = schedule(new Random(seed));
    List<Throwable> found = new ArrayList<>();
    while (!schedule.isEmpty()) {
      int left = schedule.size();
      try {
        runFaults(schedule, transport, seed);
      } catch (AssertionError | RuntimeException e) {
        System.out.println("faults: FAILED: " + e.getMessage());
        found.add(e);
        if (schedule.size() == left) {
          break; // failed before the first fault
        }
      }
    }
    if (!found.isEmpty()) {
      var error = new AssertionError(found.getFirst().getMessage(), found.getFirst());
      found.stream().skip(1).forEach(error::addSuppressed);
      throw error;
    }
  }

  private static void runFaults(Deque<ScheduledFault> schedule, Transport transport, long seed) {
    var timeline = new FaultTimeline();
    try (FaultTestbed testbed = FaultTestbed.start(transport, COMMAND_TIMEOUT);
        FaultWorkload workload = new FaultWorkload(testbed, timeline, testbed.tags(), seed)) {
      var faultRun = new FaultRun(testbed, workload, timeline);
      try {
        workload.start();
        while (!schedule.isEmpty()) {
          ScheduledFault next = schedule.removeFirst();
          faultRun.inject(next.fault(), next.seed());
          workload.awaitFullSteps();
        }
        workload.stopAndVerify();
      } finally {
        System.out.println("faults: " + workload.steps() + " steps; " + workload.counts());
        System.out.println("faults: retries: " + testbed.proxy().stats().redirects());
      }
    }
  }

  private static Deque<ScheduledFault> schedule(Random random) {
    Deque<ScheduledFault> schedule = new ArrayDeque<>();
    for (int round = 0; round < FaultRun.rounds(); round++) {
      List<Fault> faults = FaultRun.faults();
      Collections.shuffle(faults, random);
      faults.forEach(fault -> schedule.addLast(new ScheduledFault(fault, random.nextLong())));
    }
    return schedule;
  }
}
