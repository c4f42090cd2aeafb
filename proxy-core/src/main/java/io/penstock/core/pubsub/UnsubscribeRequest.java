package io.penstock.core.pubsub;

/**
 * One client's request to unsubscribe, until the nodes have confirmed what they were told for it:
 * after that, no count of theirs includes it any more.
 */
public final class UnsubscribeRequest {

  private final Runnable done;
  private int missing = 1; // itself, until all orders are given

  public UnsubscribeRequest(Runnable done) {
    this.done = done;
  }

  /** Nobody waits for the end. */
  static UnsubscribeRequest withoutCallback() {
    return new UnsubscribeRequest(() -> {});
  }

  /** One more node was told. */
  void addPending() {
    missing++;
  }

  /** A node has confirmed, or is gone; or all were told. */
  public void completeOne() {
    if (--missing == 0) {
      done.run();
    }
  }
}
