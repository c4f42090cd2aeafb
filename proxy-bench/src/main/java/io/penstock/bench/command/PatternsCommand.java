package io.penstock.bench.command;

import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.Bystander;
import io.penstock.bench.load.PatternNodes;
import io.penstock.bench.load.Subscribers;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Sample;
import io.penstock.bench.measure.Summary;
import io.penstock.bench.report.Charts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What patterns of many clients cost the nodes, and how long other clients wait meanwhile. */
@Command(
    name = "patterns",
    description =
        "Patterns of many clients: the nodes' time, and other clients' replies; without a proxy and"
            + " through Penstock.",
    mixinStandardHelpOptions = true)
public final class PatternsCommand implements Callable<Integer> {

  private static final Duration NODE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final int WARM_SECONDS = 2;

  /** Of the other client, on all nodes. */
  private static final List<String> KEYS =
      IntStream.range(0, 100).mapToObj(number -> "k" + number).toList();

  @Mixin private final Common common = new Common();

  @Option(
      names = "--clients",
      defaultValue = "100",
      description = "Clients with patterns (${DEFAULT-VALUE}).")
  int clients;

  @Option(
      names = "--patterns",
      defaultValue = "1000",
      description = "Patterns of each client, all different (${DEFAULT-VALUE}).")
  int patterns;

  @Option(
      names = "--single",
      description = "One server instead of three masters with a replica each.")
  boolean single;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (common.smoke) {
      clients = 3;
      patterns = 10;
    }
    Map<String, String> facts = common.facts(common.setup());
    List<Row> rows = new ArrayList<>();
    for (boolean direct : List.of(true, false)) {
      try (Rig rig = new Rig(common.notes)) {
        rows.add(measured(rig, direct, facts));
      }
    }
    common.report("patterns", facts, rows, Charts.Style.NONE);
    return 0;
  }

  private Row measured(Rig rig, boolean direct, Map<String, String> facts)
      throws InterruptedException {
    PatternNodes nodes =
        single
            ? PatternNodes.of(rig.server())
            : PatternNodes.of(rig.replicatedCluster(NODE_TIMEOUT));
    List<Target.Address> targets =
        direct
            ? nodes.direct()
            : List.of(rig.penstock("penstock", nodes.servers(), common.setup()));
    List<Bystander> others = new ArrayList<>();
    Sample sample;
    try {
      for (Target.Address target : targets) {
        others.add(new Bystander(target, KEYS, PATIENCE));
      }
      TimeUnit.SECONDS.sleep(common.smoke ? 0 : WARM_SECONDS);
      others.forEach(Bystander::count);
      sample = measured(nodes, targets, facts);
    } finally {
      others.forEach(Bystander::close);
    }
    String load = "%d × %d".formatted(clients, patterns);
    String name = targets.getFirst().name();
    sample = sample.with(Bystander.sample(others).values());
    return new Row("patterns", load, name, Summary.each(List.of(sample)));
  }

  private Sample measured(
      PatternNodes nodes, List<Target.Address> targets, Map<String, String> facts)
      throws InterruptedException {
    long subscribe = nodes.micros("psubscribe");
    long unsubscribe = nodes.micros("punsubscribe");
    long epoch = nodes.epoch();
    Meter meter = new Meter(targets.getFirst());
    Sample sample;
    meter.start();
    try (Subscribers subscribers = new Subscribers(targets, clients, PATIENCE)) {
      long begin = System.nanoTime();
      Map<String, Integer> outcomes = subscribers.subscribe(patterns);
      double answered = (System.nanoTime() - begin) / 1e9;
      nodes.awaitQuiet(PATIENCE);
      meter.stop(1);
      facts.put("Clients, " + targets.getFirst().name(), outcomes.toString());
      sample =
          nodes
              .connections()
              .with(Measure.ANSWERED, answered)
              .with(Measure.CONFIRMED, outcomes.getOrDefault(Subscribers.CONFIRMED, 0))
              .with(Measure.PSUBSCRIBE_TIME, (nodes.micros("psubscribe") - subscribe) / 1e6);
    }
    long closed = System.nanoTime();
    nodes.awaitFewPatterns(PATIENCE);
    Double cpuMicros = meter.measures().get(Measure.SERVERS_CPU);
    return sample
        .with(cpuMicros == null ? Map.of() : Map.of(Measure.NODES_CPU, cpuMicros / 1e6))
        .with(Measure.GONE, (System.nanoTime() - closed) / 1e9)
        .with(Measure.PUNSUBSCRIBE_TIME, (nodes.micros("punsubscribe") - unsubscribe) / 1e6)
        .with(Measure.EPOCHS, (double) (nodes.epoch() - epoch));
  }
}
