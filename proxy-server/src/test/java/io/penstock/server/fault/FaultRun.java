package io.penstock.server.fault;

import io.penstock.core.assembly.ProxySettings.Dispatch;
import io.penstock.core.transport.Transport;
import io.penstock.server.fault.FaultTimeline.Entry;
import io.penstock.server.it.DispatchMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;

/**
 * Settings of a fault test run. Injects faults into a testbed, and waits after each until all
 * clients are served again.
 */
final class FaultRun {

  private static final String PREFIX = "penstock.faults.";

  private final FaultTestbed testbed;
  private final FaultWorkload workload;
  private final FaultTimeline timeline;

  FaultRun(FaultTestbed testbed, FaultWorkload workload, FaultTimeline timeline) {
    this.testbed = testbed;
    this.workload = workload;
    this.timeline = timeline;
  }

  static long seed() {
    return Long.getLong(PREFIX + "seed", 20_261_120);
  }

  static int rounds() {
    return Integer.getInteger(PREFIX + "rounds", 1);
  }

  /** Skips a long test and prints that, unless this is a full run ({@code -Pfaults}). */
  static void assumeFullRun(String what) {
    if (!isFull()) {
      System.out.println("skipped: " + what + " (runs with -Pfaults)");
      Assumptions.abort("part of -Pfaults");
    }
  }

  /** Returns whether this is a full run ({@code -Pfaults}). */
  static boolean isFull() {
    return !setting("duration").isEmpty();
  }

  /** Returns a setting of the run; empty if it is not set. */
  static String setting(String name) {
    return System.getProperty(PREFIX + name, "");
  }

  /** Returns those faults whose names contain {@code penstock.faults.only}. */
  static List<Fault> chosen(List<Fault> all) {
    List<Fault> faults = new ArrayList<>(all);
    faults.removeIf(fault -> !fault.name().contains(setting("only")));
    return faults;
  }

  /**
   * Returns the transports of a run. By default one, a different one for each dispatch mode, so
   * that a build covers both; {@code penstock.faults.transports} is {@code all} or the name of one.
   */
  static List<Transport> transports() {
    List<Transport> working = new ArrayList<>();
    for (Transport transport : List.of(Transport.IO_URING, Transport.EPOLL)) {
      Throwable why = transport.unavailability();
      if (why == null) {
        working.add(transport);
      } else {
        System.out.println("skipped: " + transport + " is not available: " + why);
      }
    }
    if (working.isEmpty()) {
      return List.of(Transport.AUTO);
    }
    return switch (setting("transports")) {
      case "" ->
          List.of(
              DispatchMode.dispatch() instanceof Dispatch.Sync
                  ? working.getLast()
                  : working.getFirst());
      case "all" -> working;
      case String name -> List.of(Transport.valueOf(name.toUpperCase(Locale.ROOT)));
    };
  }

  /** Injects a fault and returns when all clients are served again. Fails if a client failed. */
  void inject(Fault fault, long seed) {
    long began = System.nanoTime();
    long over;
    long recovery;
    try (Entry entry = timeline.begin(fault.name(), fault.errors())) {
      fault.action().inject(testbed, new Random(seed), entry);
      over = System.nanoTime();
      recovery = workload.awaitRecovery(over);
    } catch (RuntimeException e) {
      System.out.println("faults: " + fault + ": " + e);
      workload.check(); // an error of a client says more than a timeout
      throw new AssertionError(fault + ": " + e.getMessage(), e);
    }
    System.out.printf(
        "faults: %s: %d ms, all clients served again after %d ms%n",
        fault, (over - began) / 1_000_000, recovery);
  }
}
