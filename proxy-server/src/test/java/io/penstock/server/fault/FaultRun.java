package io.penstock.server.fault;

import io.penstock.core.ProxySettings.Dispatch;
import io.penstock.core.transport.Transport;
import io.penstock.server.fault.FaultTimeline.Spell;
import io.penstock.server.it.DispatchMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;

/** Does faults to a scene, and waits each time until everybody is served again. */
final class FaultRun {

  private static final String PREFIX = "penstock.faults.";

  private final FaultTestbed scene;
  private final FaultWorkload crowd;
  private final FaultTimeline weather;

  FaultRun(FaultTestbed scene, FaultWorkload crowd, FaultTimeline weather) {
    this.scene = scene;
    this.crowd = crowd;
    this.weather = weather;
  }

  static long seed() {
    return Long.getLong(PREFIX + "seed", 20_261_120);
  }

  static int rounds() {
    return Integer.getInteger(PREFIX + "rounds", 1);
  }

  /** Skips what takes long, and says so, in a run that is not of the whole. */
  static void assumeWhole(String what) {
    if (setting("duration").isEmpty()) {
      System.out.println("skipped: " + what + ", which -Pfaults does");
      Assumptions.abort("part of -Pfaults");
    }
  }

  /** A setting of a run, empty when there is none. */
  static String setting(String name) {
    return System.getProperty(PREFIX + name, "");
  }

  /** The faults that this run is about: those whose names contain {@code penstock.faults.only}. */
  static List<Fault> faults() {
    List<Fault> faults = new ArrayList<>(Faults.all());
    faults.removeIf(fault -> !fault.name().contains(setting("only")));
    return faults;
  }

  /**
   * The ways to the kernel that a run goes by: one with each dispatcher, so that a build has seen
   * both; all with {@code penstock.faults.transports=all}, one with its name.
   */
  static List<Transport> transports() {
    List<Transport> working = new ArrayList<>();
    for (Transport transport : List.of(Transport.IO_URING, Transport.EPOLL)) {
      Throwable why = transport.unavailability();
      if (why == null) {
        working.add(transport);
      } else {
        System.out.println("skipped: " + transport + " does not work here: " + why);
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

  /** Answers when everybody is served again; fails when somebody has found something. */
  void strike(Fault fault, long seed) {
    long began = System.nanoTime();
    long over;
    long recovery;
    try (Spell spell = weather.open(fault.name(), fault.words())) {
      fault.deed().strike(scene, new Random(seed), spell);
      over = System.nanoTime();
      recovery = crowd.awaitWell(over);
    } catch (RuntimeException e) {
      System.out.println("faults: " + fault + ": " + e);
      crowd.check(); // what clients found says more than that something took too long
      throw new AssertionError(fault + ": " + e.getMessage(), e);
    }
    System.out.printf(
        "faults: %s: %d ms, everybody served again after %d ms%n",
        fault, (over - began) / 1_000_000, recovery);
  }
}
