package io.penstock.core.route;

/** A merge of many elements that runs in steps. Confined to one thread. */
interface SteppedMerge {

  /**
   * Merges about {@code most} more elements.
   *
   * @return false if nothing is left
   */
  boolean step(int most);
}
