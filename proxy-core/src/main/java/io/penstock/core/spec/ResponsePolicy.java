package io.penstock.core.spec;

/** How several nodes' replies become one, as a command's tip {@code response_policy} says. */
public enum ResponsePolicy {
  /** No tip: with keys in their order, without keys all replies' elements in any order. */
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
  /** By rules of its own. */
  SPECIAL
}
