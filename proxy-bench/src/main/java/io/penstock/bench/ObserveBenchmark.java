package io.penstock.bench;

import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.Outcome;
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

/**
 * What the metrics cost a request: one entry in the loop's counters, and its share of the clock.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ObserveBenchmark {

  private static final int COMMANDS = 400;

  private final LoopCounters counters = new LoopCounters(COMMANDS);
  private int command;
  private long duration = 100_000;

  /** Outcome, duration bucket and sum of one command among many. */
  @Benchmark
  public LoopCounters recordOneCommand() {
    command = (command + 7) % COMMANDS;
    duration = (duration * 5 + 1) & 0xFFFFF;
    counters.record(command, Outcome.OK, duration);
    return counters;
  }

  /** Read once per batch of bytes, not per command. */
  @Benchmark
  public long readTheClock() {
    return System.nanoTime();
  }
}
