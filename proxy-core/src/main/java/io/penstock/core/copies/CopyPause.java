package io.penstock.core.copies;

import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import java.util.concurrent.TimeUnit;

/**
 * The time while a copy takes no writes: its node is asked with a {@code PING} from time to time,
 * less and less often until a write succeeds. Confined to the copy's loop.
 */
final class CopyPause {

  private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Loop loop;
  private Side side;
  private final int affinity;
  private final Runnable onEnd;
  private boolean on;
  private boolean closed;
  private long nanos = SHORTEST_NANOS;

  /**
   * @param affinity that the writes have
   * @param onEnd called when the node answers, after the clock was read
   */
  CopyPause(Loop loop, Side side, int affinity, Runnable onEnd) {
    this.loop = loop;
    this.side = side;
    this.affinity = affinity;
    this.onEnd = onEnd;
  }

  /** Asks over another side from now on. */
  void change(Side next) {
    side = next;
  }

  boolean isOn() {
    return on;
  }

  /**
   * Begins, unless it has begun.
   *
   * @param partition a partition of the node that must answer
   * @return whether it begins
   */
  boolean begin(int partition) {
    if (on || closed) {
      return false;
    }
    on = true;
    askLater(partition);
    return true;
  }

  /** A write succeeded: the next pause is short again. */
  void onSuccess() {
    nanos = SHORTEST_NANOS;
  }

  private void askLater(int partition) {
    loop.executor().schedule(() -> ask(partition), nanos, TimeUnit.NANOSECONDS);
    nanos = Math.min(2 * nanos, LONGEST_NANOS);
  }

  private void ask(int wanted) {
    if (!closed) {
      int partition = Math.min(wanted, side.partitioner().partitions() - 1); // of another layout
      long deadline = loop.tick() + side.timeoutNanos();
      side.send(new CopyProbe(partition, affinity, deadline, yes -> onAnswer(partition, yes)));
    }
  }

  private void onAnswer(int partition, boolean answers) {
    if (closed) {
      return;
    }
    if (answers) {
      on = false;
      loop.tick();
      onEnd.run();
    } else {
      askLater(partition);
    }
  }

  /** Asks no more. */
  void close() {
    closed = true;
  }
}
