package io.penstock.core.spec;

/** How the replies of several nodes are merged: the tip {@code response_policy} of a command. */
public enum ResponsePolicy {
  /**
   * No tip: with keys, in the order of the keys; without keys, the elements of all replies in any
   * order.
   */
  DEFAULT,
  /** The first reply that is not an error. */
  ONE_SUCCEEDED,
  /** The first error if there is one, otherwise any reply. */
  ALL_SUCCEEDED,
  AGG_LOGICAL_AND,
  AGG_LOGICAL_OR,
  AGG_MIN,
  AGG_MAX,
  AGG_SUM,
  /** By special rules. */
  SPECIAL
}
