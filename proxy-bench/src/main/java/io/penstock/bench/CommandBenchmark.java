package io.penstock.bench;

import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The room {@code command}: which command it is, and where its keys are. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class CommandBenchmark {

  private final CommandTable table = CommandTable.load();
  private final KeyPositions keys = new KeyPositions();

  private final RequestFrame get = Frames.of("GET", "key:000000012345");
  private final RequestFrame longName = Frames.of("GEORADIUSBYMEMBER_RO", "key", "m", "1", "km");
  private final RequestFrame subcommand = Frames.of("OBJECT", "ENCODING", "key");
  private final RequestFrame unknown = Frames.of("NOSUCHCOMMAND", "key");
  private final RequestFrame mget = Frames.of(Frames.tenKeys("MGET", 1));
  private final RequestFrame eval = Frames.of("EVAL", "return 1", "2", "{a}1", "{a}2", "arg");
  private final RequestFrame streams =
      Frames.of(
          "XREADGROUP", "GROUP", "g", "c", "COUNT", "10", "STREAMS", "{a}1", "{a}2", ">", ">");

  private final CommandSpec getSpec = table.byName("get");
  private final CommandSpec mgetSpec = table.byName("mget");
  private final CommandSpec evalSpec = table.byName("eval");
  private final CommandSpec streamsSpec = table.byName("xreadgroup");

  @Benchmark
  public @Nullable CommandSpec lookup() {
    return table.find(get);
  }

  @Benchmark
  public @Nullable CommandSpec lookupLongName() {
    return table.find(longName);
  }

  @Benchmark
  public @Nullable CommandSpec lookupSubcommand() {
    return table.find(subcommand);
  }

  @Benchmark
  public @Nullable CommandSpec lookupUnknown() {
    return table.find(unknown);
  }

  /** {@code GET}, {@code SET} and most others: the key's position is fixed, nothing is searched. */
  @Benchmark
  public int keysSingleFixed() {
    return get.offset(getSpec.firstKeyIndex());
  }

  @Benchmark
  public int keysSingle() {
    return getSpec.findKeys(get, keys);
  }

  @Benchmark
  public int keysMulti10() {
    return mgetSpec.findKeys(mget, keys);
  }

  @Benchmark
  public int keysNumkeys() {
    return evalSpec.findKeys(eval, keys);
  }

  @Benchmark
  public int keysStreams() {
    return streamsSpec.findKeys(streams, keys);
  }
}
