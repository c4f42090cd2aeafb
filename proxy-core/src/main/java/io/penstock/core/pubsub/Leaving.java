package io.penstock.core.pubsub;

/**
 * One client's request to unsubscribe, until the nodes have confirmed what they were told for it:
 * after that, no count of theirs includes it any more.
 */
public final class Leaving {

  private final Runnable done;
  private int missing = 1; // itself, until all orders are given

  public Leaving(Runnable done) {
    this.done = done;
  }

  /** Nobody waits for the end. */
  static Leaving unnoticed() {
    return new Leaving(() -> {});
  }

  /** One more node was told. */
  void awaits() {
    missing++;
  }

  /** A node has confirmed, or is gone; or all were told. */
  public void oneDone() {
    if (--missing == 0) {
      done.run();
    }
  }
}
