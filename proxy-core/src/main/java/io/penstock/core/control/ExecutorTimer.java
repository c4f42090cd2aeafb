package io.penstock.core.control;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's timer, on an existing thread. Lettuce's own timer ticks ten times a second, on a thread
 * that starts before the first query (docs/adr/0026).
 */
final class ExecutorTimer implements Timer {

  private final EventExecutorGroup executor;

  ExecutorTimer(EventExecutorGroup executor) {
    this.executor = executor;
  }

  @Override
  public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
    Scheduled timeout = new Scheduled(this, task);
    timeout.future = executor.schedule(timeout, delay, unit);
    return timeout;
  }

  /** Does nothing: this timer does not own the executor. */
  @Override
  public Set<Timeout> stop() {
    return Set.of();
  }

  private static final class Scheduled implements Timeout, Runnable {

    private final ExecutorTimer timer;
    private final TimerTask task;
    private volatile @Nullable ScheduledFuture<?> future;

    Scheduled(ExecutorTimer timer, TimerTask task) {
      this.timer = timer;
      this.task = task;
    }

    @Override
    public void run() {
      try {
        task.run(this);
      } catch (Exception e) {
        throw new IllegalStateException("A timer task failed", e);
      }
    }

    @Override
    public Timer timer() {
      return timer;
    }

    @Override
    public TimerTask task() {
      return task;
    }

    @Override
    public boolean isExpired() {
      ScheduledFuture<?> scheduled = future;
      return scheduled != null && scheduled.isDone() && !scheduled.isCancelled();
    }

    @Override
    public boolean isCancelled() {
      ScheduledFuture<?> scheduled = future;
      return scheduled != null && scheduled.isCancelled();
    }

    @Override
    public boolean cancel() {
      ScheduledFuture<?> scheduled = future;
      return scheduled != null && scheduled.cancel(false);
    }
  }
}
