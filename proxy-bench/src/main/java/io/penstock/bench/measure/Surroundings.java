package io.penstock.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Processor time of what shares the machine with a proxy, as Linux counts it, at one moment.
 *
 * @param nanos the moment, of {@link System#nanoTime}
 * @param loadMicros of this JVM and the programs that it ran
 * @param serversMicros of the servers; -1 if they are unknown
 * @param idleMicros of all processors, without work
 * @param withheldMicros of all processors, withheld by the machine's host
 */
record Surroundings(
    long nanos, long loadMicros, long serversMicros, long idleMicros, long withheldMicros) {

  private static final Path PROC = Path.of("/proc");

  /** Reads them; null where there is no {@code /proc}, or one of the servers has ended. */
  static @Nullable Surroundings read(List<Long> servers) {
    try {
      long ofServers = servers.isEmpty() ? -1 : 0;
      for (long server : servers) {
        ofServers += ProcessStats.cpuMicros(stat(Long.toString(server)));
      }
      String[] machine = stat("").lines().findFirst().orElse("").split(" +");
      return new Surroundings(
          System.nanoTime(),
          withChildren(stat("self")),
          ofServers,
          ProcessStats.micros(machine[4], machine[5]),
          ProcessStats.micros(machine[8]));
    } catch (IOException e) {
      return null;
    }
  }

  /** The time of the process and of its children that have ended, in µs. */
  static long withChildren(String stat) {
    String[] fields = ProcessStats.fields(stat);
    return ProcessStats.micros(fields[11], fields[12], fields[13], fields[14]);
  }

  /**
   * What was spent since then.
   *
   * @param requests that it was spent on; 0 if on other work as well
   */
  Map<Measure, Double> since(Surroundings then, long requests) {
    Map<Measure, Double> found = new EnumMap<>(Measure.class);
    double wallMicros = (nanos - then.nanos) / 1e3;
    found.put(Measure.IDLE, (idleMicros - then.idleMicros) / wallMicros);
    found.put(Measure.WITHHELD, (withheldMicros - then.withheldMicros) / wallMicros);
    if (requests > 0) {
      found.put(Measure.LOAD_CPU, (double) (loadMicros - then.loadMicros) / requests);
      if (serversMicros >= 0) {
        found.put(Measure.SERVERS_CPU, (double) (serversMicros - then.serversMicros) / requests);
      }
    }
    return found;
  }

  private static String stat(String process) throws IOException {
    return Files.readString(PROC.resolve(process).resolve("stat"));
  }
}
