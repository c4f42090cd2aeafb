package io.penstock.testkit.cluster;

import java.util.List;

/** Runs several closing actions, whichever of them fail. */
final class Closing {

  private Closing() {}

  /** Runs all; throws the first failure with the others as suppressed exceptions. */
  static void all(List<Runnable> closings) {
    RuntimeException first = null;
    for (Runnable closing : closings) {
      try {
        closing.run();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /**
   * Runs the closing action after a failure; a second failure becomes a suppressed exception of the
   * first.
   */
  static void after(RuntimeException failure, Runnable closing) {
    try {
      closing.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
