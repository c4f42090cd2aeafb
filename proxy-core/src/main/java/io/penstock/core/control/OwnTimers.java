package io.penstock.core.control;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The topology thread for one part of the proxy, with timers that end with the part: a timer may
 * have hours to go, and would keep everything that its task refers to. Safe from any thread.
 */
final class OwnTimers implements TopologyThread {

  private final TopologyThread thread;
  private final Set<Timer> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  OwnTimers(TopologyThread thread) {
    this.thread = thread;
  }

  /** A task that waits for its time. Afterwards, and at the end, it refers to nothing. */
  private final class Timer implements Runnable {

    private volatile @Nullable Runnable task;

    Timer(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      Runnable due = task;
      forget();
      if (due != null) {
        due.run();
      }
    }

    void forget() {
      waiting.remove(this);
      task = null;
    }
  }

  @Override
  public long nanoTime() {
    return thread.nanoTime();
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  /** Does nothing after {@link #end}. */
  @Override
  public void runAfter(Duration delay, Runnable task) {
    var timer = new Timer(task);
    waiting.add(timer);
    if (ended) {
      timer.forget();
    } else {
      thread.runAfter(delay, timer);
    }
  }

  /** Drops all waiting tasks. */
  void end() {
    ended = true;
    waiting.forEach(Timer::forget);
  }
}
