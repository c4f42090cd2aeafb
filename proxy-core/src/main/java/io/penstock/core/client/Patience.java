package io.penstock.core.client;

import io.penstock.core.transport.Loop;

/**
 * With what fails again and again: lasts from the first failure in a row as long as a command may
 * be held. Confined to its loop.
 */
public final class Patience {

  private final Loop loop;
  private final long longestNanos;
  private long since;
  private boolean tried;

  public Patience(Loop loop, Nodes nodes) {
    this.loop = loop;
    this.longestNanos = nodes.patienceNanos();
  }

  /** It did not fail. */
  public void renew() {
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
