package io.penstock.core.route;

/** A merge of many elements on its way. Confined to one thread. */
interface SteppedMerge {

  /**
   * Goes on with about {@code most} elements.
   *
   * @return false when nothing is left
   */
  boolean step(int most);
}
