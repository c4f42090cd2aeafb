package io.penstock.bench.command;

import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.BatchLoad;
import io.penstock.bench.load.BatchPlan;
import io.penstock.bench.load.OpenLoad;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Summary;
import io.penstock.bench.report.Charts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Throughput and latency when clients send more than the proxy can serve. */
@Command(
    name = "overload",
    description =
        "GETs at multiples of the rate that clients reach when they wait for their replies.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class OverloadCommand implements Callable<Integer> {

  private static final String GROUP = "overload";
  private static final int VALUE_BYTES = 30;
  private static final int PIPELINE = 16;

  @Mixin private final Common common = new Common();

  @Option(
      names = "--factors",
      split = ",",
      defaultValue = "0.5,1,2,3",
      description = "Multiples of that rate (${DEFAULT-VALUE}).")
  List<Double> factors;

  @Option(
      names = "--connections",
      defaultValue = "50",
      description = "Client connections (${DEFAULT-VALUE}).")
  int connections;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> facts = common.factsOfRounds(common.setup());
    facts.put("Connections", Integer.toString(connections));
    try (Rig rig = new Rig(common.notes)) {
      Servers servers = Servers.of(rig.cluster(3));
      List<Target> targets = List.of(rig.penstock("penstock", servers, common.setup()));
      var closed =
          new BatchLoad(
              GROUP,
              "waiting for replies, " + PIPELINE + " pipelined",
              BatchPlan.gets(connections, PIPELINE, VALUE_BYTES),
              common.scale());
      List<Row> rows = new ArrayList<>(common.rounds().run(List.of(closed), targets));
      double peak = peak(rows);
      List<OpenLoad> loads =
          factors.stream()
              .map(factor ->
                  new OpenLoad(
                      GROUP,
                      factor + " times that rate",
                      factor * peak,
                      connections,
                      common.scale()))
              .toList();
      rows.addAll(common.rounds().run(loads, targets));
      common.report(GROUP, facts, rows, Charts.Style.LINES);
    }
    return 0;
  }

  private static double peak(List<Row> rows) {
    Summary throughput = rows.isEmpty() ? null : rows.getFirst().measures().get(Measure.THROUGHPUT);
    if (throughput == null) {
      throw new IllegalStateException("nothing could be measured; see the reasons above");
    }
    return throughput.median();
  }
}
