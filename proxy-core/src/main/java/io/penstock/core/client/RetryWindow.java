package io.penstock.core.client;

import io.penstock.core.transport.Loop;

/**
 * The time in which something that fails repeatedly is retried: it begins with the first failure in
 * a row and lasts as long as a command may be retried. Confined to its loop.
 */
public final class RetryWindow {

  private final Loop loop;
  private final long longestNanos;
  private long since;
  private boolean begun;

  public RetryWindow(Loop loop, Nodes nodes) {
    this.loop = loop;
    this.longestNanos = nodes.retryWindowNanos();
  }

  /** An attempt succeeded: the next failure begins a new window. */
  public void reset() {
    begun = false;
  }

  /** An attempt failed: returns whether the window is over. */
  public boolean isOver() {
    long now = loop.tick();
    if (!begun) {
      begun = true;
      since = now;
    }
    return now - since > longestNanos;
  }
}
