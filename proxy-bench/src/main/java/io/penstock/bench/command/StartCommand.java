package io.penstock.bench.command;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.BatchLoad;
import io.penstock.bench.load.BatchPlan;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Row;
import io.penstock.bench.measure.Sample;
import io.penstock.bench.measure.Summary;
import io.penstock.bench.report.Charts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** How long a start takes, and the memory after it. */
@Command(
    name = "start",
    description =
        "Starts without and with an AOT cache, in turn, and memory under a load of --seconds.",
    mixinStandardHelpOptions = true)
public final class StartCommand implements Callable<Integer> {

  private static final BatchPlan BUSY = new BatchPlan(1, 50, 1, 3, 0.5);

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Map<String, String> facts = common.factsOfRounds(common.setup());
    try (Rig rig = new Rig(common.notes);
        AotCache cache = AotCache.make(Common.checkout(), common.setup())) {
      Servers servers = Servers.of(rig.server());
      List<Row> rows = new ArrayList<>(starts(servers, cache));
      rows.add(busy(servers));
      common.report("start", facts, rows, Charts.Style.NONE);
    }
    return 0;
  }

  private List<Row> starts(Servers servers, AotCache cache) {
    Map<String, PenstockSetup> ways = new LinkedHashMap<>();
    ways.put("without an AOT cache", common.setup());
    ways.put("with an AOT cache", cache.setup());
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = -common.rounds().warm(); round < common.rounds().measured(); round++) {
      for (Map.Entry<String, PenstockSetup> way : ways.entrySet()) {
        Sample sample = start(servers, cache.folder(), way.getValue());
        if (round >= 0) {
          samples.computeIfAbsent(way.getKey(), _ -> new ArrayList<>()).add(sample);
        }
      }
    }
    List<Row> rows = new ArrayList<>();
    samples.forEach((way, all) -> rows.add(new Row("start", way, "penstock", Summary.each(all))));
    return rows;
  }

  private Sample start(Servers servers, Path folder, PenstockSetup setup) {
    try (Rig rig = new Rig(common.notes)) {
      long begin = System.nanoTime();
      rig.penstockIn(folder, "penstock", servers, setup);
      return Sample.EMPTY.with(Measure.START, (System.nanoTime() - begin) / 1e9);
    }
  }

  private Row busy(Servers servers) throws InterruptedException {
    try (Rig rig = new Rig(common.notes)) {
      Target.Address target = rig.penstock("penstock", servers, common.setup());
      var load = new BatchLoad("memory", "50 busy connections", BUSY, common.scale());
      Meter meter = new Meter(target);
      load.prepare(target);
      Sample sample = load.run(target, meter).with(meter.measures());
      return new Row(load.group(), load.name(), target.name(), Summary.each(List.of(sample)));
    }
  }
}
