package io.penstock.core.assembly;

import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.transport.Loop;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures how late an event loop runs its timers. Used on that loop only. */
public final class LoopLag {

  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Loop loop;
  private long expected;
  private long latest;
  private long longest;

  public LoopLag(Loop loop) {
    this.loop = loop;
  }

  /** Starts to measure. Any thread. */
  public void start() {
    loop.executor()
        .execute(() -> {
          expected = System.nanoTime() + PERIOD_NANOS;
          loop.executor()
              .scheduleAtFixedRate(
                  new Ticks(loop::tick, List.of(this::measure)),
                  PERIOD_NANOS,
                  PERIOD_NANOS,
                  TimeUnit.NANOSECONDS);
        });
  }

  private void measure(long now) {
    record(Math.max(0, now - expected));
    expected = now + PERIOD_NANOS;
  }

  void record(long nanosLate) {
    latest = nanosLate;
    longest = Math.max(longest, latest);
  }

  public LoopStats stats() {
    return new LoopStats(loop.index(), latest, longest);
  }
}
