package io.penstock.core.transport;

/** Work that would block its loop for too long and is done in slices. Confined to its loop. */
public interface Sliced {

  /**
   * Runs the next slice, of about {@link Slices#STEPS_PER_SLICE} steps.
   *
   * @return false if the work is finished
   */
  boolean step();

  /** A slice has thrown. No other slice follows. */
  void onFailure(Throwable cause);
}
