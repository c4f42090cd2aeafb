package io.penstock.bench.command;

import io.penstock.bench.harness.OpenFiles;
import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.BatchClients;
import io.penstock.bench.load.BatchLoad;
import io.penstock.bench.load.BatchPlan;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Sample;
import io.penstock.bench.measure.Summary;
import io.penstock.bench.report.Charts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How the cost of a request grows with loops, connections, pipeline depth, value size and nodes.
 */
@Command(
    name = "growth",
    description = "Cost by event loops, nodes, connections, pipeline depth and value size.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class GrowthCommand implements Callable<Integer> {

  private static final int CONNECTIONS = 50;
  private static final int VALUE_BYTES = 30;
  private static final String TARGET = "penstock";

  /** With fewer connections their memory cannot be told from everything else. */
  private static final int FEW = 10;

  /** Times that a new Penstock is started for each number of idle connections. */
  private static final int STARTS = 3;

  /** What grows. */
  enum Part {
    LOOPS,
    LOAD,
    IDLE,
    NODES
  }

  @Mixin private final Common common = new Common();

  @Option(
      names = "--parts",
      split = ",",
      defaultValue = "loops,load,idle,nodes",
      description = "Parts to measure; load is connections, depths and sizes (${DEFAULT-VALUE}).")
  List<Part> parts;

  @Option(
      names = "--loops",
      split = ",",
      description = "Event loops; default: powers of two up to the number of processors.")
  List<Integer> loops = new ArrayList<>();

  @Option(
      names = "--nodes",
      split = ",",
      defaultValue = "1,2,4,8,16",
      description = "Masters (${DEFAULT-VALUE}).")
  List<Integer> nodes;

  @Option(
      names = "--connections",
      split = ",",
      defaultValue = "1,10,100,1000,5000,10000",
      description = "Client connections (${DEFAULT-VALUE}).")
  List<Integer> connections;

  @Option(
      names = "--depths",
      split = ",",
      defaultValue = "1,4,16,64,256,1000",
      description = "Pipelined requests (${DEFAULT-VALUE}).")
  List<Integer> depths;

  @Option(
      names = "--sizes",
      split = ",",
      defaultValue = "32,1024,16384,131072,1048576",
      description = "Bytes of a value (${DEFAULT-VALUE}).")
  List<Integer> sizes;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (common.smoke) {
      shrink();
    }
    if (parts.contains(Part.LOAD) || parts.contains(Part.IDLE)) {
      OpenFiles.require(Collections.max(connections));
    }
    Map<String, String> facts = common.factsOfRounds(common.setup());
    List<Row> rows = new ArrayList<>();
    for (Part part : parts) {
      common.notes.succeeds(part.name().toLowerCase(Locale.ROOT), () -> measure(part, rows));
    }
    common.report("growth", facts, rows, Charts.Style.LINES);
    return 0;
  }

  private void measure(Part part, List<Row> rows) throws InterruptedException {
    switch (part) {
      case LOOPS -> rows.addAll(byLoops());
      case LOAD -> rows.addAll(byLoad());
      case IDLE -> byIdleConnections(rows);
      case NODES -> rows.addAll(byNodes());
    }
  }

  private void shrink() {
    loops = List.of(1);
    nodes = List.of(1, 2);
    connections = List.of(1, 10);
    depths = List.of(1, 16);
    sizes = List.of(32, 16_384);
  }

  private List<Row> byLoops() throws InterruptedException {
    try (Rig rig = new Rig(common.notes)) {
      Servers servers = Servers.of(rig.cluster(3));
      List<Target> targets = new ArrayList<>();
      for (int count : loops.isEmpty() ? powersOfTwo() : loops) {
        PenstockSetup setup = common.setup().with("penstock.event-loops", count);
        common.notes.succeeds(
            "event loops, " + count,
            () -> targets.add(rig.penstock(Integer.toString(count), servers, setup)));
      }
      return turned(common.rounds().run(usual("event loops"), targets));
    }
  }

  private List<Row> byNodes() throws InterruptedException {
    try (Rig rig = new Rig(common.notes)) {
      List<Target> targets = new ArrayList<>();
      for (int count : nodes) {
        common.notes.succeeds(
            "nodes, " + count,
            () -> {
              Servers servers = Servers.of(rig.cluster(count));
              targets.add(rig.penstock(Integer.toString(count), servers, common.setup()));
            });
      }
      return turned(common.rounds().run(usual("nodes"), targets));
    }
  }

  private List<Row> byLoad() throws InterruptedException {
    List<Load> loads = new ArrayList<>();
    for (int count : connections) {
      loads.add(load("connections", "" + count, BatchPlan.gets(count, 1, VALUE_BYTES)));
    }
    for (int depth : depths) {
      loads.add(
          load("pipeline depth", "" + depth, BatchPlan.gets(CONNECTIONS, depth, VALUE_BYTES)));
    }
    for (int bytes : sizes) {
      loads.add(load("value size, bytes", "" + bytes, BatchPlan.gets(CONNECTIONS, 1, bytes)));
    }
    try (Rig rig = new Rig(common.notes)) {
      Servers servers = Servers.of(rig.cluster(3));
      Target target = rig.penstock(TARGET, servers, common.setup());
      return common.rounds().run(loads, List.of(target));
    }
  }

  /** Each step starts a new Penstock, because memory of earlier connections is reused. */
  private void byIdleConnections(List<Row> rows) throws InterruptedException {
    try (Rig rig = new Rig(common.notes)) {
      Servers servers = Servers.of(rig.cluster(3));
      for (int count : connections) {
        if (count >= FEW) {
          common.notes.succeeds(
              "idle connections, " + count, () -> rows.add(byIdleConnections(servers, count)));
        }
      }
    }
  }

  private Row byIdleConnections(Servers servers, int count) throws InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < Math.min(STARTS, common.rounds().measured()); i++) {
      samples.add(idle(servers, count));
    }
    return new Row("idle connections", "" + count, TARGET, Summary.each(samples));
  }

  private Sample idle(Servers servers, int count) throws InterruptedException {
    try (Rig rig = new Rig(common.notes)) {
      Target.Address target = rig.penstock(TARGET, servers, common.setup());
      Meter meter = new Meter(target);
      BatchLoad warmUp = load("", "", BatchPlan.gets(CONNECTIONS, 16, VALUE_BYTES));
      warmUp.prepare(target);
      warmUp.run(target, meter);
      long before = settledKib(meter);
      try (BatchClients clients = BatchClients.idle(target, count)) {
        clients.sendOnce(); // all at the same time
        double each = (double) (settledKib(meter) - before) / count;
        clients.check();
        return before == 0 ? Sample.EMPTY : Sample.EMPTY.with(Measure.IDLE_CONNECTION_MEMORY, each);
      }
    }
  }

  private long settledKib(Meter meter) throws InterruptedException {
    Thread.sleep(common.settling());
    return meter.residentKib();
  }

  private List<Load> usual(String group) {
    return List.of(
        load(group, "GET, 50 connections", BatchPlan.gets(CONNECTIONS, 1, VALUE_BYTES)),
        load(
            group,
            "GET, 50 connections, 16 pipelined",
            BatchPlan.gets(CONNECTIONS, 16, VALUE_BYTES)));
  }

  private BatchLoad load(String group, String name, BatchPlan plan) {
    return new BatchLoad(group, name, plan, common.scale());
  }

  private static List<Row> turned(List<Row> rows) {
    return rows.stream().map(Row::transposed).toList();
  }

  private static List<Integer> powersOfTwo() {
    List<Integer> powers = new ArrayList<>();
    for (int i = 1; i <= Runtime.getRuntime().availableProcessors(); i *= 2) {
      powers.add(i);
    }
    return powers;
  }
}
