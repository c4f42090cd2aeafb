package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.cluster.Slot;
import io.penstock.testkit.wire.Wire;
import java.util.concurrent.TimeUnit;
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

/** The room {@code cluster}: a key's slot. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ClusterBenchmark {

  private static final String TAG = "{user:1000}";

  /** Bytes of the key. */
  @Param({"3", "16", "30", "100"})
  int keyLength = 16;

  private ByteBuf plain = Unpooled.EMPTY_BUFFER;
  private ByteBuf tagged = Unpooled.EMPTY_BUFFER;

  @Setup
  public void makeKeys() {
    plain = Wire.buffer("0123456789".repeat(10).substring(0, keyLength));
    String tag = keyLength < TAG.length() ? "{u}" : TAG;
    tagged = Wire.buffer(tag + "x".repeat(keyLength - tag.length()));
  }

  @Benchmark
  public int slot() {
    return Slot.of(plain, 0, keyLength);
  }

  @Benchmark
  public int slotWithHashTag() {
    return Slot.of(tagged, 0, keyLength);
  }
}
