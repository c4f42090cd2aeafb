package io.penstock.testkit.cluster;

import java.util.List;

/** Closes all there is to close, whatever of it fails. */
final class Closing {

  private Closing() {}

  /** Runs all; throws the first failure, with the others in it. */
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

  /** Runs it because of a failure, which is the one to be told of. */
  static void after(RuntimeException failure, Runnable closing) {
    try {
      closing.run();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
