package io.penstock.bench.command;

import io.penstock.bench.harness.OpenFiles;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.BenchmarkSuite;
import io.penstock.bench.load.RedisBenchmark;
import io.penstock.bench.measure.Load;
import io.penstock.bench.report.Charts;
import io.penstock.testkit.cluster.EmbeddedCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The usual loads: redis-benchmark, and a mix that it does not offer. */
@Command(
    name = "suite",
    description =
        "redis-benchmark's loads and a mix on nutcracker, nginx, Penstock, other proxies, and no proxy.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class SuiteCommand implements Callable<Integer> {

  private static final int CONNECTIONS = 5_000;

  @Mixin private final Common common = new Common();

  @Option(
      names = "--loads",
      defaultValue = ".*",
      description =
          "Regular expression for '<group> <load>' of the loads to run (${DEFAULT-VALUE}).")
  Pattern wanted;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (RedisBenchmark.program().isEmpty()) {
      throw new IllegalStateException(
          "redis-benchmark is not installed (Debian: apt-get install redis-tools)");
    }
    if (OpenFiles.possible() < CONNECTIONS) {
      common.notes.add(
          "loads of many connections left out: ulimit -n allows for " + OpenFiles.possible());
    }
    Map<String, String> facts = common.facts(common.setupOfDispatchModes());
    try (Rig rig = new Rig(common.notes)) {
      EmbeddedCluster cluster = rig.cluster(3);
      List<Target> targets = new ArrayList<>();
      rig.nutcracker().ifPresent(targets::add);
      rig.nginx().ifPresent(targets::add);
      targets.addAll(common.penstocks(rig, cluster.resource()));
      targets.addAll(common.others());
      targets.add(new Target.Direct("direct", cluster));
      common.report("suite", facts, common.rounds().run(loads(), targets), Charts.Style.BARS);
    }
    return 0;
  }

  private List<Load> loads() {
    return BenchmarkSuite.of(common.scale().withAtMost(OpenFiles.possible())).stream()
        .filter(load -> wanted.matcher(load.group() + " " + load.name()).find())
        .toList();
  }
}
