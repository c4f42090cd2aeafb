package io.penstock.bench;

import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.route.Router;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The room {@code route}: the plan for a command, including its lookup. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class RouteBenchmark {

  private final Router router = new Router(SlotPartitioner.INSTANCE);
  private final Command get = command("GET", "key:000000012345");
  private final Command mgetSameSlot =
      command(
          "MGET", "{a}0", "{a}1", "{a}2", "{a}3", "{a}4", "{a}5", "{a}6", "{a}7", "{a}8", "{a}9");
  private final Command mgetSplit = command(Frames.tenKeys("MGET", 1));
  private final Command ping = command("PING");
  private final Command unknown = command("NOSUCHCOMMAND", "key");

  private static Command command(String... arguments) {
    return new Command(CommandTable.load(), Frames.of(arguments));
  }

  @Benchmark
  public RoutePlan routeGet() {
    return router.route(get);
  }

  @Benchmark
  public RoutePlan routeMget10SameSlot() {
    return router.route(mgetSameSlot);
  }

  @Benchmark
  public RoutePlan routeMget10Split() {
    return router.route(mgetSplit);
  }

  @Benchmark
  public RoutePlan routeLocal() {
    return router.route(ping);
  }

  /** Not part of the budget: the error text is built for each. */
  @Benchmark
  public RoutePlan routeUnknown() {
    return router.route(unknown);
  }
}
