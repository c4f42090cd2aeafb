package io.penstock.core.control;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The one thread that refreshes run on, and its clock. Tests turn the clock by hand. */
public interface TopologyThread extends Executor {

  /** As {@link System#nanoTime}. */
  long nanoTime();

  /** Runs a task here, once, after a delay. */
  void runAfter(Duration delay, Runnable task);
}
