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
 * Lettuce's timer on a thread there is already: its own would tick ten times a second, on a thread
 * that starts before anything is asked (docs/adr/0026).
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

  /** Nothing to stop: the executor is somebody else's. */
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
        throw new IllegalStateException("a timer's task failed", e);
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
