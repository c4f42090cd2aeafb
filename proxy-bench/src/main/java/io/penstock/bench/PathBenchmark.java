package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.SlotMap;
import io.penstock.core.cluster.SlotPartitioner;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.route.Router;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.Shard;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One request through all rooms without I/O: decode, look up, route, find the slot's owner. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class PathBenchmark {

  private static final int BATCH = 16;

  private final RequestScanner scanner = new RequestScanner(Frames.LIMITS);
  private final Command command = new Command(CommandTable.load(), scanner.frame());
  private final Router router = new Router(SlotPartitioner.INSTANCE);
  private final Placement map = threeShards();
  private final ByteBuf one = Wire.buffer(Wire.request("GET", "key:000000012345"));
  private final ByteBuf gets = Wire.buffer(batch(false));
  private final ByteBuf mixed = Wire.buffer(batch(true));

  private static Placement threeShards() {
    return new SlotMap.Builder()
        .shard(new Shard(new Endpoint("127.0.0.1", 7000), List.of(), 1))
        .range(0, 5460)
        .shard(new Shard(new Endpoint("127.0.0.1", 7001), List.of(), 2))
        .range(5461, 10_922)
        .shard(new Shard(new Endpoint("127.0.0.1", 7002), List.of(), 3))
        .range(10_923, SlotMap.SLOTS - 1)
        .build();
  }

  /** Requests for keys of all shards; mixed ones in the four forms that caches see most. */
  private static String batch(boolean mixed) {
    StringBuilder requests = new StringBuilder();
    for (int i = 0; i < BATCH; i++) {
      String key = "key:%012d".formatted(i * 7919);
      requests.append(
          switch (mixed ? i % 4 : 0) {
            case 1 -> Wire.request("SET", key, "x".repeat(30), "EX", "60");
            case 2 -> Wire.request("HGETALL", key);
            case 3 -> Wire.request("incrby", key, "1");
            default -> Wire.request("GET", key);
          });
    }
    return requests.toString();
  }

  @Benchmark
  public int get() {
    return route(one);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int getPipelined16() {
    return route(gets);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int mixedPipelined16() {
    return route(mixed);
  }

  /** Returns how many requests in the buffer have an owner. */
  private int route(ByteBuf buffer) {
    int owned = 0;
    scanner.reset(0);
    while (scanner.scan(buffer, buffer.writerIndex()) == ScanResult.REQUEST) {
      if (router.route(command) instanceof RoutePlan.Single(int slot) && map.ownerOf(slot) >= 0) {
        owned++;
      }
    }
    return owned;
  }
}
