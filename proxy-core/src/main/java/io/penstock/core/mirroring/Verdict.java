package io.penstock.core.mirroring;

import io.penstock.core.copies.CopyTask;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.transport.Loop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Whether enough copies have done what the primary did, so that a client gets its reply. Confined
 * to the client's loop, which copies tell.
 */
final class Verdict {

  private final Loop loop;
  private final Consumer<Boolean> then;
  private final int needed; // copies that must have done it
  private int outstanding; // copies that have not said yet
  private int done;
  private boolean over;
  private @Nullable ScheduledFuture<?> timer;

  /**
   * @param copies how many there are
   * @param timeoutNanos after which it is that too few have
   * @param then told once, on the loop, whether enough have
   */
  Verdict(Loop loop, ReplyPolicy policy, int copies, long timeoutNanos, Consumer<Boolean> then) {
    this.loop = loop;
    this.then = then;
    this.outstanding = copies;
    this.needed =
        switch (policy) {
          case PRIMARY -> 0;
          case ALL -> copies;
          case QUORUM, SAFE_QUORUM -> (copies + 1) / 2; // more than half, with the primary
        };
    this.timer = loop.executor().schedule(() -> end(false), timeoutNanos, TimeUnit.NANOSECONDS);
  }

  /** One copy has done it or not. On any thread. */
  void tell(boolean same) {
    try {
      loop.executor().execute(() -> count(same));
    } catch (RejectedExecutionException _) {
      // The client is closed.
    }
  }

  /** Returns what tells it of a task. */
  CopyTask.Listener listener() {
    return result -> tell(result == CopyTask.Result.DONE);
  }

  /** There is nothing to do for copies. */
  void endWithoutCopies() {
    end(true);
  }

  private void count(boolean same) {
    outstanding--;
    done += same ? 1 : 0;
    if (done >= needed) {
      end(true);
    } else if (done + outstanding < needed) {
      end(false);
    }
  }

  private void end(boolean enough) {
    if (!over) {
      over = true;
      ScheduledFuture<?> pending = timer;
      timer = null;
      if (pending != null) {
        pending.cancel(false);
      }
      then.accept(enough);
    }
  }
}
