package io.penstock.core.client;

import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.core.transport.Loop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs an action at the earliest of the times it is asked for. Confined to its loop. */
public final class Alarm {

  private final Loop loop;
  private final Runnable action;
  private @Nullable ScheduledFuture<?> timer;
  private long time; // of the timer, if there is one

  /**
   * @param action may ask for the next time
   */
  public Alarm(Loop loop, Runnable action) {
    this.loop = loop;
    this.action = action;
  }

  /**
   * Runs the action at {@code wanted} at the latest.
   *
   * @param wanted by the loop's clock; one that is over means soon, never at once
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

  /** Forgets the time it was asked for. */
  public void cancel() {
    ScheduledFuture<?> pending = timer;
    if (pending != null) {
      timer = null;
      pending.cancel(false);
    }
  }
}
