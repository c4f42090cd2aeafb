package io.penstock.core.pubsub;

/** The replies of nodes that a request of a client waits for. Confined to the client's loop. */
public final class AwaitedReplies {

  private final Runnable then;
  private int missing = 1; // the request itself, until all commands have been created

  /**
   * @param then runs once, when the last reply has come
   */
  public AwaitedReplies(Runnable then) {
    this.then = then;
  }

  /** Returns replies that nothing waits for. */
  static AwaitedReplies ignored() {
    return new AwaitedReplies(() -> {});
  }

  /** One more command was created. */
  void addPending() {
    missing++;
  }

  /** A command was answered or its connection was closed, or all commands have been created. */
  public void completeOne() {
    if (--missing == 0) {
      then.run();
    }
  }
}
