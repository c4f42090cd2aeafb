package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.hash.KeyHash;
import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The room {@code layout}: the hash of a key of 30 bytes, and its shard among 50 servers. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class LayoutBenchmark {

  private static final int KEY_LENGTH = 30;
  private static final int KEYS = 1024; // a power of two
  private static final int SERVERS = 50;

  /** A hash function and a key. */
  @State(Scope.Thread)
  public static class Hashing {

    @Param KeyHash hash = KeyHash.FNV1A_64;

    final ByteBuf key = Wire.buffer("user:{1000}:sessions:012345678");
  }

  /** A layout and many keys, so that the branches of a ring are not predicted. */
  @State(Scope.Thread)
  public static class Placing {

    @Param({"KETAMA", "MODULA", "RMUX"})
    Distribution distribution = Distribution.KETAMA;

    /** Two characters, or none. */
    @Param({"", "{}"})
    String hashTag = "{}";

    final ByteBuf keys = keys();
    private ShardLayout layout = layout(distribution, hashTag);
    private int next;

    @Setup
    public void makeLayout() {
      layout = layout(distribution, hashTag);
    }

    int nextKey() {
      next = (next + 1) & (KEYS - 1);
      return next * KEY_LENGTH;
    }
  }

  @Benchmark
  public long hash(Hashing state) {
    return state.hash.of(state.key, 0, KEY_LENGTH);
  }

  @Benchmark
  public int shard(Placing state) {
    return state.layout.shardOf(state.keys, state.nextKey(), KEY_LENGTH);
  }

  private static ShardLayout layout(Distribution distribution, String hashTag) {
    List<ShardServer> servers =
        IntStream.range(0, SERVERS)
            .mapToObj(i -> new ShardServer(null, "10.0.0." + i + ":6379", 1))
            .toList();
    return ShardLayout.of(
        LayoutSettings.ofServers(distribution, servers)
            .withHashTag(distribution == Distribution.RMUX ? null : hashTag));
  }

  private static ByteBuf keys() {
    ByteBuf keys = Unpooled.directBuffer(KEYS * KEY_LENGTH);
    for (int i = 0; i < KEYS; i++) {
      keys.writeBytes(Wire.bytes("user:{%05d}:sessions:01234567".formatted(i)));
    }
    return keys;
  }
}
