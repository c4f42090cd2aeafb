package io.penstock.core.pubsub;

/**
 * A client's request to unsubscribe, pending until the nodes have confirmed all commands sent for
 * it. After that, no count of a node includes the client.
 */
public final class UnsubscribeRequest {

  private final Runnable done;
  private int missing = 1; // the request itself, until all commands are sent

  public UnsubscribeRequest(Runnable done) {
    this.done = done;
  }

  /** Returns a request whose end is ignored. */
  static UnsubscribeRequest withoutCallback() {
    return new UnsubscribeRequest(() -> {});
  }

  /** One more command was created. */
  void addPending() {
    missing++;
  }

  /** A command was confirmed or its connection was closed, or all commands were sent. */
  public void completeOne() {
    if (--missing == 0) {
      done.run();
    }
  }
}
