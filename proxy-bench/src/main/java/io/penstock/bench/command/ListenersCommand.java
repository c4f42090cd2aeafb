package io.penstock.bench.command;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Inside;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Sample;
import io.penstock.bench.measure.Summary;
import io.penstock.bench.report.Charts;
import io.penstock.testkit.cluster.FreePorts;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What listeners without clients cost, each with an upstream of its own: all are one server. */
@Command(
    name = "listeners",
    description =
        "Memory, files and CPU of many listeners, without clients and with one client each.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class ListenersCommand implements Callable<Integer> {

  private static final String HOST = "127.0.0.1";
  private static final String CLIENTS = "penstock.max-clients";
  private static final int MAX_CLIENTS = 100; // of each listener

  /** What a start still does after its first reply takes no longer. */
  private static final int STARTING_SECONDS = 10;

  @Mixin private final Common common = new Common();

  @Option(
      names = "--listeners",
      split = ",",
      defaultValue = "1,50",
      description = "Numbers of listeners (${DEFAULT-VALUE}).")
  List<Integer> counts;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> facts = common.facts(common.setup());
    List<Row> rows = new ArrayList<>();
    try (Rig rig = new Rig(common.notes)) {
      ServerProcess server = rig.server();
      for (int count : common.smoke ? List.of(2) : counts) {
        measure(server, count, rows);
      }
    }
    common.report("listeners", facts, rows, Charts.Style.NONE);
    return 0;
  }

  private void measure(ServerProcess server, int count, List<Row> rows)
      throws IOException, InterruptedException {
    List<Integer> others = new ArrayList<>();
    List<RespClient> clients = new ArrayList<>();
    try (Rig rig = new Rig(common.notes)) {
      for (int i = 1; i < count; i++) {
        others.add(FreePorts.take(HOST));
      }
      Servers servers = Servers.of(server);
      Target.Address target =
          rig.managedPenstock("penstock", servers, port -> setup(servers, port, others));
      TimeUnit.SECONDS.sleep(common.smoke ? 0 : STARTING_SECONDS);
      rows.add(row(count + ", no client", target, server));
      clients.add(client(target.port()));
      for (int port : others) {
        clients.add(client(port));
      }
      rows.add(row(count + ", one client each", target, server));
    } finally {
      clients.forEach(RespClient::close);
      others.forEach(FreePorts::giveBack);
    }
  }

  private PenstockSetup setup(Servers servers, int first, List<Integer> others) {
    PenstockSetup setup = common.setup().with(CLIENTS, MAX_CLIENTS);
    List<Integer> ports = new ArrayList<>(List.of(first));
    ports.addAll(others);
    for (int i = 0; i < ports.size(); i++) {
      String listener = "penstock.listeners.l" + i;
      setup =
          setup
              .with(listener + ".bind", HOST)
              .with(listener + ".port", ports.get(i))
              .with(listener + ".upstream", "u" + i)
              .with("penstock.upstreams.u" + i, servers.resource());
    }
    return setup;
  }

  private static RespClient client(int port) {
    RespClient client = RespClient.open(HOST, port);
    client.text("GET", "k");
    return client;
  }

  private Row row(String load, Target.Address target, ServerProcess server)
      throws IOException, InterruptedException {
    Duration time = common.scale().seconds();
    Sample sample =
        Inside.coreShare(target, time)
            .with(Inside.look(target, common.settling()).values())
            .with(Measure.SERVER_CONNECTIONS, connections(server));
    return new Row("listeners", load, target.name(), Summary.each(List.of(sample)));
  }

  /** Without the one that asks. */
  private static double connections(ServerProcess server) {
    return (double) server.text("CLIENT", "LIST").lines().count() - 1;
  }
}
