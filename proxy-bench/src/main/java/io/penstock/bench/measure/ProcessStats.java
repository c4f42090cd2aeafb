package io.penstock.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A process's figures at one moment, as Linux counts them.
 *
 * @param cpuMicros time on processors since it started, in user and kernel mode, all threads
 * @param switches of each of its threads, by thread id
 * @param peakKib its largest resident set since {@link #forgetPeak}, or since it started
 * @param residentKib its resident set now
 */
record ProcessStats(
    long cpuMicros, Map<String, Switches> switches, long peakKib, long residentKib) {

  private static final Path PROC = Path.of("/proc");

  /** USER_HZ, which is 100 on every Linux that a JVM runs on. */
  private static final long MICROS_PER_TICK = 10_000;

  /** Context switches of one thread since it started. */
  record Switches(long voluntary, long involuntary) {}

  /** Reads them; null where there is no such process or no {@code /proc}. */
  static @Nullable ProcessStats read(long pid) {
    Path process = PROC.resolve(Long.toString(pid));
    if (pid <= 0 || !Files.isReadable(process.resolve("stat"))) {
      return null;
    }
    try {
      List<String> status = Files.readAllLines(process.resolve("status"));
      return new ProcessStats(
          cpuMicros(Files.readString(process.resolve("stat"))),
          switches(process.resolve("task")),
          field(status, "VmHWM"),
          field(status, "VmRSS"));
    } catch (IOException | UncheckedIOException e) {
      return null; // it ended meanwhile
    }
  }

  /** Resets the peak where that is permitted, else does nothing. */
  static void forgetPeak(long pid) {
    try {
      Files.writeString(PROC.resolve(Long.toString(pid)).resolve("clear_refs"), "5");
    } catch (IOException e) {
      // another user's process, or not Linux: the peak is since its start
    }
  }

  /**
   * Parses a line of {@code /proc/PID/stat}. The name in it may contain anything, parentheses too.
   */
  static long cpuMicros(String stat) {
    String[] fields = fields(stat);
    return micros(fields[11], fields[12]);
  }

  /** What follows the name, from field 3 of proc(5) on. */
  static String[] fields(String stat) {
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
  }

  /** The sum of ticks, in µs. */
  static long micros(String... ticks) {
    return Arrays.stream(ticks).mapToLong(Long::parseLong).sum() * MICROS_PER_TICK;
  }

  /** Returns a number of {@code /proc/PID/status}; 0 if it is missing. */
  static long field(List<String> status, String name) {
    for (String line : status) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.replaceAll("\\D+", ""));
      }
    }
    return 0;
  }

  private static Map<String, Switches> switches(Path tasks) throws IOException {
    Map<String, Switches> threads = new HashMap<>();
    try (DirectoryStream<Path> each = Files.newDirectoryStream(tasks)) {
      for (Path task : each) {
        try {
          List<String> status = Files.readAllLines(task.resolve("status"));
          threads.put(
              task.getFileName().toString(),
              new Switches(
                  field(status, "voluntary_ctxt_switches"),
                  field(status, "nonvoluntary_ctxt_switches")));
        } catch (IOException e) {
          // that thread has just ended
        }
      }
    }
    return threads;
  }
}
