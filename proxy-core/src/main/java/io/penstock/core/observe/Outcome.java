package io.penstock.core.observe;

/** How one command ended, as the {@code outcome} label shows it. */
public enum Outcome {
  /** A reply that is not an error. */
  OK,
  /** An error reply of the server. */
  ERROR,
  /** Penstock refused it without sending it: wrong arity, unknown command, CROSSSLOT, NOAUTH. */
  REJECTED,
  TIMEOUT,
  UNAVAILABLE,
  CONNLOST,
  OVERLOADED
}
