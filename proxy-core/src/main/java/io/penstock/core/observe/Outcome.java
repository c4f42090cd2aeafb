package io.penstock.core.observe;

/** How one command ended: the {@code outcome} label of metrics. */
public enum Outcome {
  /** A reply that is not an error. */
  OK,
  /** An error reply of the node. */
  ERROR,
  /** Penstock rejected it without sending it: wrong arity, unknown command, CROSSSLOT, NOAUTH. */
  REJECTED,
  TIMEOUT,
  UNAVAILABLE,
  CONNLOST,
  OVERLOADED
}
