package io.penstock.core.pubsub;

import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayDeque;

/**
 * Counts the receivers of messages that clients of one loop publish, usually at once. Long counts
 * continue in later turns of the loop, with other work in between; further counts wait behind them.
 * Confined to the loop.
 */
public final class ReceiverCounts implements Sliced {

  /**
   * Steps in one turn, for all counts together: about 0.3 ms. At most twice as many run without a
   * turn in between.
   */
  static final int SLICE = 100_000;

  /** Receives the result of a count. */
  public interface Listener {

    /** Whether the result is not needed any more, so that any number will do. */
    boolean isClosed();

    void onCount(long clients);

    /** Counting failed. */
    void onFailure(Throwable cause);
  }

  private record Waiting(ReceiverCount count, Listener listener) {}

  private final SubscriberCounts audience;
  private final Slices slices;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private int left = SLICE;

  ReceiverCounts(SubscriberCounts audience, Slices slices) {
    this.audience = audience;
    this.slices = slices;
  }

  /** Counts the receivers and calls {@code listener}, possibly before this method returns. */
  public void count(ReceiverCount count, Listener listener) {
    if (waiting.isEmpty() && advance(count)) {
      listener.onCount(count.result());
      return;
    }
    waiting.add(new Waiting(count, listener));
    if (waiting.size() == 1) {
      slices.start(this);
    }
  }

  private boolean advance(ReceiverCount count) {
    int rest = count.advance(audience, left);
    left = Math.max(0, rest);
    return rest != ReceiverCount.UNDECIDED;
  }

  @Override
  public boolean step() {
    left = SLICE;
    Waiting first = waiting.peek();
    while (first != null && isDone(first)) {
      waiting.remove();
      first = waiting.peek();
    }
    return first != null;
  }

  @Override
  public void onFailure(Throwable cause) {
    throw new IllegalStateException("each count handles its own failure", cause);
  }

  private boolean isDone(Waiting first) {
    try {
      boolean done = first.listener().isClosed() || advance(first.count());
      if (done) {
        first.listener().onCount(first.count().result());
      }
      return done;
    } catch (Throwable e) { // the counts behind it must not fail because of this one
      first.listener().onFailure(e);
      return true;
    }
  }
}
