package io.penstock.core.topology;

import io.penstock.core.control.TopologyThread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A topology thread with a clock that the test sets. Tasks run on the test's thread. */
public final class ManualThread implements TopologyThread {

  private record Timer(long at, long order, Runnable task) {}

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::order));
  private long now = Long.MAX_VALUE - 1_000; // nanoTime may overflow at any moment
  private long elapsed;
  private long order;

  @Override
  public long nanoTime() {
    return now + elapsed;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public void runAfter(Duration delay, Runnable task) {
    timers.add(new Timer(elapsed + delay.toNanos(), order++, task));
  }

  /** Runs queued tasks without advancing the clock. */
  public void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** Advances the clock and runs each timer at its time. */
  public void advance(Duration by) {
    run();
    long end = elapsed + by.toNanos();
    for (Timer timer = timers.peek(); timer != null && timer.at <= end; timer = timers.peek()) {
      timers.remove(timer);
      elapsed = Math.max(elapsed, timer.at);
      timer.task.run();
      run();
    }
    elapsed = end;
  }
}
