package io.penstock.bench.measure;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Programs;
import io.penstock.bench.harness.Target;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a Penstock holds: live data in its heap, direct memory, threads, files. From {@code jcmd},
 * its metrics and {@code /proc}.
 */
public final class Inside {

  private static final double BYTES_PER_MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The generations or regions in what {@code jcmd GC.heap_info} prints. */
  static final Pattern HEAP =
      Pattern.compile("(?m)^ *(?:DefNew|Tenured|garbage-first heap).*?used (\\d+)K");

  static final Pattern DIRECT_MEMORY =
      Pattern.compile(
          "(?m)^netty_allocator_memory_used\\{[^}]*memory_type=\"direct\"[^}]*} (\\S+)$");
  static final Pattern COMMANDS =
      Pattern.compile("(?m)^penstock_commands_total(?:\\{[^}]*})? (\\S+)$");

  private Inside() {}

  /**
   * Collects garbage, waits until memory has been returned, and looks.
   *
   * @param penstock one with a management port
   * @param settling how long to wait
   */
  public static Sample look(Target.Address penstock, Duration settling)
      throws IOException, InterruptedException {
    String pid = Long.toString(penstock.pid());
    String jcmd = Path.of(PenstockSetup.java()).resolveSibling("jcmd").toString();
    Programs.output(jcmd, pid, "GC.run");
    Programs.output(jcmd, pid, "GC.run"); // what the first has made unreachable
    double heapKib = sum(HEAP, Programs.output(jcmd, pid, "GC.heap_info"));
    String metrics = metrics(penstock);
    Thread.sleep(settling);
    return Sample.EMPTY
        .with(Measure.HEAP, heapKib / Meter.KIB_PER_MIB)
        .with(Measure.DIRECT_MEMORY, sum(DIRECT_MEMORY, metrics) / BYTES_PER_MIB)
        .with(Measure.SERVED, sum(COMMANDS, metrics))
        .with(Measure.RESIDENT, new Meter(penstock).residentKib() / Meter.KIB_PER_MIB)
        .with(Measure.THREADS, entries(pid, "task"))
        .with(Measure.FILES, entries(pid, "fd"));
  }

  /** How much of a processor it uses while nothing is measured, in per cent. */
  public static Sample coreShare(Target.Address penstock, Duration time)
      throws InterruptedException {
    Meter meter = new Meter(penstock);
    meter.start();
    Thread.sleep(time);
    meter.stop(1);
    Double micros = meter.measures().get(Measure.CPU);
    return micros == null
        ? Sample.EMPTY
        : Sample.EMPTY.with(Measure.CORE_SHARE, 100 * micros / 1e3 / time.toMillis());
  }

  private static String metrics(Target.Address penstock) throws IOException, InterruptedException {
    int port = PenstockSetup.managementPort(penstock.port());
    URI page = URI.create("http://" + penstock.host() + ":" + port + "/actuator/prometheus");
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(page).timeout(PATIENCE).build(), BodyHandlers.ofString())
          .body();
    }
  }

  /** The sum of the numbers that the pattern's first group finds. */
  static double sum(Pattern pattern, String text) {
    List<MatchResult> found = pattern.matcher(text).results().toList();
    if (found.isEmpty()) {
      throw new LoadFailure("nothing in it is " + pattern + ": " + text);
    }
    return found.stream().mapToDouble(each -> Double.parseDouble(each.group(1))).sum();
  }

  private static double entries(String pid, String folder) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc", pid, folder))) {
      return (double) all.count();
    }
  }
}
