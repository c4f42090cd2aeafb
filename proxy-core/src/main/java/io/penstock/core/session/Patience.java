package io.penstock.core.session;

/**
 * With what fails again and again: lasts from the first failure in a row as long as a command may
 * be held. Confined to its loop.
 */
final class Patience {

  private final SessionLoop loop;
  private long since;
  private boolean tried;

  Patience(SessionLoop loop) {
    this.loop = loop;
  }

  /** It did not fail. */
  void renew() {
    tried = false;
  }

  /** It failed: answers true when that has lasted too long. */
  boolean isOver() {
    long now = loop.tick();
    if (!tried) {
      tried = true;
      since = now;
    }
    return now - since > loop.settings().patienceNanos();
  }
}
