package io.penstock.bench.measure;

import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.ProcessStats.Switches;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads from {@code /proc} what is spent between two moments: CPU time and memory of a process, CPU
 * time of the load, of servers and of nobody. Reads nothing where there is no {@code /proc}.
 */
public final class Meter {

  static final double KIB_PER_MIB = 1024;

  private final long pid;
  private final List<Long> servers;
  private @Nullable ProcessStats before;
  private @Nullable Surroundings around;
  private Map<Measure, Double> measures = Map.of();

  /**
   * @param pid the process; 0 when none is to be watched
   */
  public Meter(long pid) {
    this(pid, List.of());
  }

  /** Of a target and the servers behind it. */
  public Meter(Target target) {
    this(target.pid(), target.servers());
  }

  private Meter(long pid, List<Long> servers) {
    this.pid = pid;
    this.servers = servers;
  }

  /** The measured part begins. */
  public void start() {
    ProcessStats.forgetPeak(pid);
    before = ProcessStats.read(pid);
    around = Surroundings.read(servers);
  }

  /**
   * The measured part ends.
   *
   * @param requests that were answered in it; 0 if the process did other work as well, so that its
   *     cost cannot be divided
   */
  public void stop(long requests) {
    ProcessStats after = ProcessStats.read(pid);
    Surroundings now = Surroundings.read(servers);
    Map<Measure, Double> found = new EnumMap<>(Measure.class);
    if (before != null && after != null) {
      found.putAll(difference(before, after, requests));
    }
    if (around != null && now != null) {
      found.putAll(now.since(around, requests));
    }
    measures = found;
  }

  /** Returns the measures; empty before {@link #stop}. */
  public Map<Measure, Double> measures() {
    return measures;
  }

  /** The resident set of the process now, in KiB; 0 when unknown. */
  public long residentKib() {
    ProcessStats now = ProcessStats.read(pid);
    return now == null ? 0 : now.residentKib();
  }

  static Map<Measure, Double> difference(ProcessStats from, ProcessStats to, long requests) {
    Map<Measure, Double> found = new EnumMap<>(Measure.class);
    found.put(Measure.PEAK_MEMORY, to.peakKib() / KIB_PER_MIB);
    if (requests == 0) {
      return found;
    }
    long voluntary = 0;
    long involuntary = 0;
    for (Map.Entry<String, Switches> thread : to.switches().entrySet()) {
      Switches start = from.switches().getOrDefault(thread.getKey(), new Switches(0, 0));
      voluntary += thread.getValue().voluntary() - start.voluntary();
      involuntary += thread.getValue().involuntary() - start.involuntary();
    }
    found.put(Measure.CPU, (double) (to.cpuMicros() - from.cpuMicros()) / requests);
    found.put(Measure.VOLUNTARY_SWITCHES, 1000.0 * voluntary / requests);
    found.put(Measure.INVOLUNTARY_SWITCHES, 1000.0 * involuntary / requests);
    return found;
  }
}
