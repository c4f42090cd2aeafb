package io.penstock.core.transport;

import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Runs the long work of a loop in slices: one slice in each loop turn, so that the sockets are
 * polled in between, and round-robin among the pieces of work. Confined to the loop.
 */
public final class Slices implements Runnable {

  /** Work with at least this many steps is done in slices. */
  public static final int THRESHOLD = 8_192;

  /** For steps of some hundred nanoseconds: usually one key or element. */
  public static final int STEPS_PER_SLICE = 8_192;

  /** For steps of a microsecond or two. */
  public static final int LONG_STEPS_PER_SLICE = STEPS_PER_SLICE / 4;

  /** Work with at most so many long steps may begin at once. */
  private static final int FEW_LONG_STEPS = 128;

  private final EventLoop loop;
  private final ArrayDeque<Sliced> waiting = new ArrayDeque<>();
  private boolean scheduled;
  private long slicesRun;

  public Slices(EventLoop loop) {
    this.loop = loop;
  }

  /** Runs {@code work} from the next turn on. */
  public void start(Sliced work) {
    waiting.add(work);
    scheduleNext();
  }

  /** Runs the first slice now, and all of the work if the loop is shutting down. */
  public void startNow(Sliced work) {
    boolean more = runSlice(work);
    while (more && loop.isShuttingDown()) {
      more = runSlice(work); // there may be no other turn
    }
    if (more) {
      start(work);
    }
  }

  /**
   * Runs the first slice now if the work is short, otherwise from the next turn on, so that the
   * long work of many clients does not add up in one turn.
   *
   * @param steps the number of long steps in all
   */
  public void startInTurn(Sliced work, int steps) {
    if (steps <= FEW_LONG_STEPS || loop.isShuttingDown()) {
      startNow(work);
    } else {
      start(work);
    }
  }

  /** Scheduled and not executed: executed tasks run before the sockets are polled. */
  private void scheduleNext() {
    if (!scheduled) {
      scheduled = true;
      loop.schedule(this, 0, TimeUnit.NANOSECONDS);
    }
  }

  /** Runs one slice; called by the loop. */
  @Override
  public void run() {
    scheduled = false;
    Sliced next = waiting.poll();
    try {
      if (next != null && runSlice(next)) {
        waiting.add(next);
      }
    } finally {
      if (!waiting.isEmpty()) {
        scheduleNext();
      }
    }
  }

  private boolean runSlice(Sliced work) {
    slicesRun++;
    try {
      return work.step();
    } catch (Throwable e) { // the loop's other work continues
      work.onFailure(e);
      return false;
    }
  }

  /** Number of slices run so far. */
  public long slicesRun() {
    return slicesRun;
  }
}
