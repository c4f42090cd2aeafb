package io.penstock.core.client;

import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.core.transport.Loop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs an action at the earliest of the times that were scheduled. Confined to its loop. */
public final class Alarm {

  private final Loop loop;
  private final Runnable action;
  private @Nullable ScheduledFuture<?> timer;
  private long time; // of the timer, if it is set

  /**
   * @param action may schedule the next time
   */
  public Alarm(Loop loop, Runnable action) {
    this.loop = loop;
    this.action = action;
  }

  /**
   * Runs the action at {@code wanted} at the latest.
   *
   * @param wanted by the loop's clock; a time in the past means soon, but not within this call
   */
  public void scheduleAt(long wanted) {
    if (timer != null && wanted - time >= 0) {
      return;
    }
    cancel();
    time = wanted;
    long delay = Math.max(0, wanted - loop.tick());
    timer = loop.executor().schedule(this::ring, delay, TimeUnit.NANOSECONDS);
  }

  private void ring() {
    timer = null;
    action.run();
  }

  /** Cancels the scheduled time. */
  public void cancel() {
    ScheduledFuture<?> pending = timer;
    if (pending != null) {
      timer = null;
      pending.cancel(false);
    }
  }
}
