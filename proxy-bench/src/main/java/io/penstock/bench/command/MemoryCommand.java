package io.penstock.bench.command;

import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.BenchmarkSuite;
import io.penstock.bench.measure.Inside;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import io.penstock.bench.report.Charts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether memory grows: requests of many kinds, one load after the other. */
@Command(
    name = "memory",
    description =
        "Memory minute by minute under loads of suite, each time after a collection and without"
            + " connections, so that all lines should be alike.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class MemoryCommand implements Callable<Integer> {

  @Mixin private final Common common = new Common();

  @Option(
      names = "--minutes",
      defaultValue = "20",
      description = "Minutes of load (${DEFAULT-VALUE}).")
  int minutes;

  @Option(
      names = "--loads",
      defaultValue = "single|lrange_100|mset|P 16$|16 KiB|-k 0|mix 1",
      description =
          "Regular expression for '<group> <load>' of suite's loads to run (${DEFAULT-VALUE}).")
  Pattern wanted;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> facts = common.facts(common.setup());
    Duration minute = common.smoke ? Duration.ofSeconds(1) : Duration.ofMinutes(1);
    List<Row> rows = new ArrayList<>();
    try (Rig rig = new Rig(common.notes)) {
      Servers servers = Servers.of(rig.server());
      Target.Address target = rig.managedPenstock("penstock", servers, common.setup());
      List<Load> loads = BenchmarkSuite.matching(wanted, common.scale());
      for (Load load : loads) {
        load.prepare(target);
      }
      long end = System.nanoTime();
      int next = 0;
      for (int number = 1; number <= (common.smoke ? 2 : minutes); number++) {
        for (end += minute.toNanos(); System.nanoTime() - end < 0; next++) {
          loads.get(next % loads.size()).run(target, new Meter(target));
        }
        var sample = Inside.look(target, common.settling());
        rows.add(
            new Row("memory", "minute " + number, target.name(), Summary.each(List.of(sample))));
        common.notes.progress("minute " + number + " is over");
      }
    }
    common.report("memory", facts, rows, Charts.Style.NONE);
    return 0;
  }
}
