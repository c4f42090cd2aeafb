package io.penstock.bench.measure;

import io.penstock.bench.harness.Target;
import java.io.IOException;

/** Requests to send to any target, always the same. Blocking; used by one thread at a time. */
public interface Load {

  /** Loads of one group share a table and a chart. */
  String group();

  /** Unique in its group. */
  String name();

  /** Returns whether this load can be sent to the target. */
  default boolean suits(Target target) {
    return true;
  }

  /**
   * Makes the keys that the load expects; called once for each target.
   *
   * @throws LoadFailure when the target cannot do that
   */
  void prepare(Target target) throws IOException, InterruptedException;

  /**
   * Sends the requests; starts and stops the meter around the measured part.
   *
   * @throws LoadFailure when requests fail, or time runs out
   */
  Sample run(Target target, Meter meter) throws IOException, InterruptedException;
}
