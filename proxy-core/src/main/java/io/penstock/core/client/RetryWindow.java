package io.penstock.core.client;

import io.penstock.core.transport.Loop;

/**
 * With what fails again and again: lasts from the first failure in a row as long as a command may
 * be held. Confined to its loop.
 */
public final class RetryWindow {

  private final Loop loop;
  private final long longestNanos;
  private long since;
  private boolean tried;

  public RetryWindow(Loop loop, Nodes nodes) {
    this.loop = loop;
    this.longestNanos = nodes.retryWindowNanos();
  }

  /** It did not fail. */
  public void reset() {
    tried = false;
  }

  /** It failed: answers true when that has lasted too long. */
  public boolean isOver() {
    long now = loop.tick();
    if (!tried) {
      tried = true;
      since = now;
    }
    return now - since > longestNanos;
  }
}
