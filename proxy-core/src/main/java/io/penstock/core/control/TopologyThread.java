package io.penstock.core.control;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * The single thread for refreshes, surveys and health checks, and its clock. Tests set the clock by
 * hand.
 */
public interface TopologyThread extends Executor {

  /** Returns the time like {@link System#nanoTime}. */
  long nanoTime();

  /** Runs a task on this thread, once, after a delay. */
  void runAfter(Duration delay, Runnable task);
}
