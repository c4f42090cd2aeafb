package io.penstock.server.fault;

import io.penstock.core.transport.Transport;
import io.penstock.server.it.DispatchMode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Injects one fault after the other under load, in an order that depends on the seed. After each,
 * all clients must be served again in time, without errors. After a failure the remaining faults
 * run with a new testbed.
 *
 * <p>{@code -Dpenstock.faults.seed=N} repeats a run, {@code -Dpenstock.faults.only=text} runs only
 * the faults whose names contain the text, {@code -Dpenstock.faults.rounds=N} runs all of them N
 * times.
 *
 * @param upstream what kind of upstream it is
 * @param all the faults
 */
record FaultSuite(String upstream, List<Fault> all, Starter testbeds) {

  /** Starts a testbed. */
  interface Starter {
    FaultTestbed start(Transport transport, Duration commandTimeout);
  }

  private record ScheduledFault(Fault fault, long seed) {}

  void run(Transport transport, Duration commandTimeout) {
    long seed = FaultRun.seed();
    System.out.println(
        "faults: "
            + upstream
            + ", -Dpenstock.faults.seed="
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
        runFaults(schedule, () -> testbeds.start(transport, commandTimeout), seed);
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

  private static void runFaults(
      Deque<ScheduledFault> schedule, Supplier<FaultTestbed> testbeds, long seed) {
    var timeline = new FaultTimeline();
    try (FaultTestbed testbed = testbeds.get();
        FaultWorkload workload = new FaultWorkload(testbed, timeline, seed)) {
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

  private Deque<ScheduledFault> schedule(Random random) {
    Deque<ScheduledFault> schedule = new ArrayDeque<>();
    for (int round = 0; round < FaultRun.rounds(); round++) {
      List<Fault> faults = FaultRun.chosen(all);
      Collections.shuffle(faults, random);
      faults.forEach(fault -> schedule.addLast(new ScheduledFault(fault, random.nextLong())));
    }
    return schedule;
  }
}
