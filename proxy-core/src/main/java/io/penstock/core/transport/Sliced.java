package io.penstock.core.transport;

/** Work that would keep its loop for too long at a stretch. Confined to its loop. */
public interface Sliced {

  /**
   * Does the next slice, of about {@link Slices#STEPS_PER_SLICE} steps.
   *
   * @return false when nothing is left to be done
   */
  boolean step();

  /** A slice has thrown: there will be no other. */
  void onFailure(Throwable cause);
}
