package io.penstock.core.retry;

/** What a request that did not run waits for before it is sent again. Immutable. */
sealed interface WaitsFor {

  /** It waits until another node, or the same one, may accept it. */
  record Time(long notBefore) implements WaitsFor {}

  /** It waits until its script is loaded. */
  record Script() implements WaitsFor {}

  /** It waits until everything that it must not be sent behind has been answered. */
  record Fence() implements WaitsFor {}

  /** It waits until the earlier ones of its partition have ended. */
  record Turn() implements WaitsFor {}

  WaitsFor SCRIPT = new Script();
  WaitsFor FENCE = new Fence();
  WaitsFor TURN = new Turn();

  /** Returns what a request waits for that may be sent at a time, see {@link System#nanoTime()}. */
  static WaitsFor time(long notBefore) {
    return new Time(notBefore);
  }
}
