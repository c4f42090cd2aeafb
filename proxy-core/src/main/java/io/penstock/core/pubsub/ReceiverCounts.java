package io.penstock.core.pubsub;

import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayDeque;

/**
 * Counts the receivers of the messages that one loop's clients publish: at once as a rule. What
 * takes long goes on in later turns, between which the loop does everything else; what comes
 * meanwhile waits behind it. Confined to the loop.
 */
public final class ReceiverCounts implements Sliced {

  /**
   * Steps at once, for all that is counted together: some 0.3 ms. Not more than twice as many come
   * without a turn in between.
   */
  static final int SLICE = 100_000;

  /** Takes the result. */
  public interface Listener {

    /** Whether it is not there any more, so that any number will do. */
    boolean isClosed();

    void onCount(long clients);

    /** It could not be counted. */
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

  /** Tells {@code listener}, perhaps before this returns. */
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
    throw new IllegalStateException("each count takes its own failure", cause);
  }

  private boolean isDone(Waiting first) {
    try {
      boolean done = first.listener().isClosed() || advance(first.count());
      if (done) {
        first.listener().onCount(first.count().result());
      }
      return done;
    } catch (Throwable e) { // those behind it are not to blame
      first.listener().onFailure(e);
      return true;
    }
  }
}
