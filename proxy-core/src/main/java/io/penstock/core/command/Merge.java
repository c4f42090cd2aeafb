package io.penstock.core.command;

/** How the replies to the parts of a split command become one. */
public enum Merge {
  /** Each part's array holds one element a key; the merged array has them in the caller's order. */
  ARRAY_BY_KEY,
  /** {@code +OK} when every part says so, otherwise the first error. */
  ALL_OK,
  /** The sum of integers, or the first error. */
  SUM
}
