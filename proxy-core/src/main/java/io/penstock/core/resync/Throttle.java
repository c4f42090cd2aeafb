package io.penstock.core.resync;

/** Lets a number of keys pass per second. Confined to the jobs' loop. */
final class Throttle {

  private static final double NANOS = 1e9;

  private double perSecond;
  private double credit;
  private long at;

  Throttle(int perSecond, long now) {
    this.perSecond = perSecond;
    this.at = now;
  }

  void change(int keysPerSecond) {
    perSecond = keysPerSecond;
    credit = Math.min(credit, 0);
  }

  /** Returns how many keys to ask for at once. */
  int portion() {
    return (int) Math.clamp(perSecond / 20, 1, 250);
  }

  /** Returns whether keys may pass now. Those of more than a portion are not saved up. */
  boolean isOpen(long now) {
    credit = Math.min(portion(), credit + (now - at) * perSecond / NANOS);
    at = now;
    return credit >= Math.min(portion(), 1);
  }

  /** Keys have passed; more than were expected delay those behind them. */
  void passed(int keys) {
    credit -= keys;
  }
}
