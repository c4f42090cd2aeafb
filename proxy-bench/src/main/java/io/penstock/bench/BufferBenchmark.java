package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
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

/** The floor under every scanner: how fast a buffer can be searched for the end of a line. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class BufferBenchmark {

  private final ByteBuf line =
      Unpooled.directBuffer().writeBytes("$1048576\r\n".getBytes(StandardCharsets.US_ASCII));

  /** Searches for the line feed. */
  @Benchmark
  public int findLineFeed() {
    return line.indexOf(line.readerIndex(), line.writerIndex(), (byte) '\n');
  }
}
