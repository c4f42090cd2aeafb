package io.penstock.core.pubsub;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The published messages of all loops that nodes have not answered yet. What must not change before
 * they are answered waits for them, and for those at most that begin meanwhile. Safe from any
 * thread; no thread waits for another.
 */
public final class Publications {

  private final AtomicReference<State> state = new AtomicReference<>(State.NONE);

  /** A message is about to be sent. Returns what to {@link #end}. */
  public int begin() {
    return state.updateAndGet(State::begin).phase();
  }

  /** The connections that a node has counted are known, or will not be needed. */
  public void end(int began) {
    change(now -> now.end(began));
  }

  /**
   * Runs {@code action} when the publications that have begun have ended: now if there are none,
   * otherwise on the thread that ends the last one. It must not throw.
   */
  void afterwards(Runnable action) {
    change(now -> now.with(action));
  }

  private void change(UnaryOperator<State> change) {
    State before = state.get();
    State changed = change.apply(before);
    while (!state.compareAndSet(before, changed.next())) {
      before = state.get();
      changed = change.apply(before);
    }
    changed.runDue();
  }

  /** An action in a list. */
  private record Waiting(Runnable action, @Nullable Waiting next) {

    static void run(@Nullable Waiting first) {
      for (Waiting each = first; each != null; each = each.next()) {
        each.action().run();
      }
    }
  }

  /**
   * A new phase begins when the publications of the phase before the current one have ended.
   *
   * @param phase 0 or 1
   * @param current publications that began in this phase
   * @param old those that began in the phase before
   * @param waiting actions that wait for both
   * @param waitingForOld actions that wait for the old ones
   */
  private record State(
      int phase, int current, int old, @Nullable Waiting waiting, @Nullable Waiting waitingForOld) {

    static final State NONE = new State(0, 0, 0, null, null);

    State begin() {
      return new State(phase, current + 1, old, waiting, waitingForOld);
    }

    State end(int began) {
      return began == phase
          ? new State(phase, current - 1, old, waiting, waitingForOld)
          : new State(phase, current, old - 1, waiting, waitingForOld);
    }

    State with(Runnable action) {
      return new State(phase, current, old, new Waiting(action, waiting), waitingForOld);
    }

    private boolean isOver() {
      return old == 0 && (waiting != null || waitingForOld != null);
    }

    /** The state without the actions that {@link #runDue} runs. */
    State next() {
      if (!isOver()) {
        return this;
      }
      return new State(1 - phase, 0, current, null, current == 0 ? null : waiting);
    }

    void runDue() {
      if (isOver()) {
        Waiting.run(waitingForOld);
        if (current == 0) {
          Waiting.run(waiting);
        }
      }
    }
  }
}
