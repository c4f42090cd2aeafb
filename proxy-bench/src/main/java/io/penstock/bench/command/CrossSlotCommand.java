package io.penstock.bench.command;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import io.penstock.bench.harness.Target;
import io.penstock.bench.load.CrossSlotLoads;
import io.penstock.bench.report.Charts;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What a command over two nodes costs, beside the same command on one slot. */
@Command(
    name = "cross-slot",
    description = "Commands whose keys are in one slot, and the same with keys of two nodes.",
    mixinStandardHelpOptions = true)
public final class CrossSlotCommand implements Callable<Integer> {

  @Mixin private final Common common = new Common();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PenstockSetup setup = common.setup().with("penstock.cross-slot", "emulate");
    Map<String, String> facts = common.factsOfRounds(setup);
    try (Rig rig = new Rig(common.notes)) {
      Target.Address target = rig.penstock("penstock", Servers.of(rig.cluster(3)), setup);
      CrossSlotLoads.prepare(target);
      var rows = common.rounds().run(CrossSlotLoads.of(common.scale()), List.of(target));
      common.report("cross-slot", facts, rows, Charts.Style.LINES);
    }
    return 0;
  }
}
