package io.penstock.core.pubsub;

import io.penstock.core.transport.LoopPolls;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayDeque;

/**
 * Counts the receivers of messages that clients of one loop publish, usually at once. Long counts
 * continue in later turns of the loop, with other work in between; further counts wait behind them.
 * If clients of other loops are among the receivers, those are counted again when their loops have
 * noticed which of them have closed. Confined to the loop.
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

    /**
     * The connections to the node have been counted; {@link #onCount} follows. Not called if that
     * is called without a result.
     */
    void onConnectionsCounted();

    /** Counting failed. */
    void onFailure(Throwable cause);
  }

  private record Waiting(ReceiverCount count, Listener listener) {}

  private final SubscriberCounts audience;
  private final Slices slices;
  private final LoopPolls polls;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private int left = SLICE;

  ReceiverCounts(SubscriberCounts audience, Slices slices, LoopPolls polls) {
    this.audience = audience;
    this.slices = slices;
    this.polls = polls;
  }

  /** Counts the receivers and calls {@code listener}, possibly before this method returns. */
  public void count(ReceiverCount count, Listener listener) {
    if (waiting.isEmpty() && advance(count)) {
      onCounted(count, listener);
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

  private void onCounted(ReceiverCount count, Listener listener) {
    if (count.isRecounted()) {
      listener.onCount(count.result());
      return;
    }
    listener.onConnectionsCounted();
    polls.whenPolled(count.loops(), () -> recount(count, listener));
  }

  private void recount(ReceiverCount count, Listener listener) {
    try {
      count.recount();
      count(count, listener);
    } catch (Throwable e) { // other counts wait for the same loop
      listener.onFailure(e);
    }
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
      if (first.listener().isClosed()) {
        first.listener().onCount(first.count().result());
        return true;
      }
      boolean done = advance(first.count());
      if (done) {
        onCounted(first.count(), first.listener());
      }
      return done;
    } catch (Throwable e) { // the counts behind it must not fail because of this one
      first.listener().onFailure(e);
      return true;
    }
  }
}
