package io.penstock.bench.command;

import io.penstock.bench.harness.OpenFiles;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.BenchmarkSuite;
import io.penstock.bench.load.RedisBenchmark;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.Rounds;
import io.penstock.bench.report.Charts;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.ServerProcess;
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

  /** What takes part. */
  enum Peer {
    NUTCRACKER,
    NGINX,
    PENSTOCK,
    /** Those of {@code --proxy}. */
    PROXY,
    /** The cluster without a proxy. */
    DIRECT,
    /** One server without a proxy. */
    ALONE
  }

  @Mixin private final Common common = new Common();

  @Option(
      names = "--targets",
      split = ",",
      defaultValue = "nutcracker,nginx,penstock,proxy,direct",
      description =
          "What to measure, in the order of the tables; also alone: one server without a proxy"
              + " (${DEFAULT-VALUE}).")
  List<Peer> peers;

  @Option(
      names = "--loads",
      defaultValue = ".*",
      description =
          "Regular expression for '<group> <load>' of the loads to run (${DEFAULT-VALUE}).")
  Pattern wanted;

  @Option(
      names = "--warm-requests",
      defaultValue = "1200000",
      description = "Requests to each proxy before the first load (${DEFAULT-VALUE}).")
  long warmRequests;

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
    Map<String, String> facts = common.factsOfRounds(common.setupOfCompared());
    facts.put("Warm-up", warmRequests() + " requests to each proxy");
    try (Rig rig = new Rig(common.notes)) {
      List<Target> targets = targets(rig);
      warm(targets);
      common.report("suite", facts, common.rounds().run(loads(), targets), Charts.Style.BARS);
    }
    return 0;
  }

  private List<Target> targets(Rig rig) {
    List<Target> targets = new ArrayList<>();
    boolean clustered = peers.contains(Peer.PENSTOCK) || peers.contains(Peer.DIRECT);
    List<EmbeddedCluster> cluster = clustered ? List.of(rig.cluster(3)) : List.of();
    for (Peer peer : peers) {
      switch (peer) {
        case NUTCRACKER -> rig.nutcracker().ifPresent(targets::add);
        case NGINX -> rig.nginx().ifPresent(targets::add);
        case PENSTOCK -> targets.addAll(common.penstocks(rig, Servers.of(cluster.getFirst())));
        case PROXY -> targets.addAll(common.others());
        case DIRECT -> targets.add(new Target.Direct("direct", cluster.getFirst()));
        case ALONE -> targets.add(alone(rig.server()));
      }
    }
    return targets;
  }

  private long warmRequests() {
    return common.smoke ? 0 : warmRequests;
  }

  private static Target alone(ServerProcess server) {
    return new Target.Address(
        "server-alone", server.host(), server.port(), 0, List.of(server.pid()));
  }

  private void warm(List<Target> targets) throws InterruptedException {
    if (warmRequests() > 0) {
      List<Target> proxies =
          targets.stream().filter(target -> target instanceof Target.Address).toList();
      List<Load> loads = BenchmarkSuite.warmUp(common.scale(), warmRequests);
      new Rounds(0, 1, common.notes).run(loads, proxies);
    }
  }

  private List<Load> loads() {
    return BenchmarkSuite.matching(wanted, common.scale().withAtMost(OpenFiles.possible()));
  }
}
