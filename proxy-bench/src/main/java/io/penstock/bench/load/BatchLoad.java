package io.penstock.bench.load;

import io.penstock.bench.harness.OpenFiles;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Sample;

/**
 * Many connections on few threads, for a time. Unlike redis-benchmark it mixes commands, and does
 * not measure connecting. Each connection sends a batch when the one before is answered.
 */
public record BatchLoad(String group, String name, BatchPlan plan, Scale scale) implements Load {

  @Override
  public boolean suits(Target target) {
    return target instanceof Target.Address address && !address.isUnixSocket();
  }

  @Override
  public void prepare(Target target) {
    OpenFiles.require(plan.connections());
    try (BatchClients one =
        BatchClients.connect(address(target), BatchPlan.gets(1, 1, 1), requests())) {
      one.fill();
    }
  }

  @Override
  public Sample run(Target target, Meter meter) throws InterruptedException {
    try (BatchClients clients = BatchClients.connect(address(target), plan, requests())) {
      clients.start();
      meter.start();
      clients.takeTally(); // what came meanwhile: the first batches were all sent at once
      long begin = System.nanoTime();
      Thread.sleep(scale.seconds().toMillis());
      Tally tally = clients.takeTally();
      long end = System.nanoTime();
      meter.stop(tally.requests());
      clients.check();
      return tally.sample(end - begin);
    }
  }

  private KeyRequests requests() {
    return new KeyRequests(scale.keysOf(plan.valueBytes()), plan.valueBytes(), plan.sets());
  }

  private static Target.Address address(Target target) {
    return switch (target) {
      case Target.Address address -> address;
      case Target.Direct _ -> throw new LoadFailure("this driver knows no cluster");
    };
  }
}
