package io.penstock.core.transport;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The long work of a loop, done in slices: one in a turn of the loop, so that the sockets are
 * looked at before the next, and each piece of work in its turn. Confined to the loop.
 */
public final class Slices implements Runnable {

  /** From so many steps on work is done in slices. */
  public static final int THRESHOLD = 8_192;

  /** In a slice; a step is what a key or an element takes, some hundred nanoseconds. */
  public static final int STEPS_PER_SLICE = 8_192;

  /** In a slice, where each takes a microsecond or two. */
  public static final int LONG_STEPS_PER_SLICE = STEPS_PER_SLICE / 4;

  private final EventLoop loop;
  private final ArrayDeque<Sliced> waiting = new ArrayDeque<>();
  private boolean scheduled;
  private long slicesRun;

  public Slices(EventLoop loop) {
    this.loop = loop;
  }

  /** Has {@code work} done, from the next turn on. */
  public void start(Sliced work) {
    waiting.add(work);
    scheduleNext();
  }

  /** Does the first slice now, and all of it when the loop shuts down. */
  public void startNow(Sliced work) {
    boolean more = goOn(work);
    while (more && loop.isShuttingDown()) {
      more = goOn(work); // no other turn may come
    }
    if (more) {
      start(work);
    }
  }

  /** Not executed at once: what is executed runs before the sockets are looked at. */
  private void scheduleNext() {
    if (!scheduled) {
      scheduled = true;
      loop.schedule(this, 0, TimeUnit.NANOSECONDS);
    }
  }

  /** Called by the loop: one slice. */
  @Override
  public void run() {
    scheduled = false;
    Sliced next = waiting.poll();
    try {
      if (next != null && goOn(next)) {
        waiting.add(next);
      }
    } finally {
      if (!waiting.isEmpty()) {
        scheduleNext();
      }
    }
  }

  private boolean goOn(Sliced work) {
    slicesRun++;
    try {
      return work.step();
    } catch (Throwable e) { // the loop's other work goes on
      work.onFailure(e);
      return false;
    }
  }

  /** Slices so far. */
  public long slicesRun() {
    return slicesRun;
  }
}
