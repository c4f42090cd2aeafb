package io.penstock.bench.command;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.report.Charts;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The cost of a cluster behind Penstock, compared with a single server. */
@Command(
    name = "standalone-versus-cluster",
    description =
        "The same Jedis load through Penstock in front of one server and of three masters.",
    mixinStandardHelpOptions = true)
public final class StandaloneVersusClusterCommand implements Callable<Integer> {

  @Mixin private final Common common = new Common();
  @Mixin private final JedisLoads loads = new JedisLoads();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PenstockSetup setup = common.setup();
    Map<String, String> facts = common.factsOfRounds(setup);
    loads.describe(facts);
    try (Rig rig = new Rig(common.notes)) {
      ServerProcess server = rig.server();
      EmbeddedCluster cluster = rig.cluster(3);
      List<Target> targets =
          List.of(
              rig.penstock("one server", Servers.of(server), setup),
              rig.penstock("three masters", Servers.of(cluster), setup));
      var rows = common.rounds().run(loads.of(common), targets);
      common.report("standalone-versus-cluster", facts, rows, Charts.Style.LATENCIES);
    }
    return 0;
  }
}
