package io.penstock.bench.command;

import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.report.Charts;
import io.penstock.testkit.cluster.EmbeddedCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What applications measure: Jedis straight to the cluster, and through proxies. */
@Command(
    name = "load",
    description =
        "Jedis clients straight to a cluster, through Penstock, and through other proxies.",
    mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {

  @Mixin private final Common common = new Common();
  @Mixin private final JedisLoads loads = new JedisLoads();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> facts = common.factsOfRounds(common.setupOfCompared());
    loads.describe(facts);
    try (Rig rig = new Rig(common.notes)) {
      EmbeddedCluster cluster = rig.cluster(3);
      List<Target> targets = new ArrayList<>();
      targets.add(new Target.Direct("direct", cluster));
      targets.addAll(common.penstocks(rig, Servers.of(cluster)));
      targets.addAll(common.others());
      var rows = common.rounds().run(loads.of(common), targets);
      common.report("load", facts, rows, Charts.Style.BARS);
    }
    return 0;
  }
}
