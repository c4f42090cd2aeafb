package io.penstock.core.assembly;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks of a loop's tick. A task that throws neither stops the other tasks nor the tick: an
 * executor does not run a periodic task again after it has thrown, and every deadline depends on
 * the tick.
 */
final class Ticks implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Ticks.class);

  private final LongSupplier clock;
  private final List<LongConsumer> tasks;

  /**
   * @param clock gives the {@link System#nanoTime()} that the tasks of a tick are called with
   */
  Ticks(LongSupplier clock, List<LongConsumer> tasks) {
    this.clock = clock;
    this.tasks = tasks;
  }

  @Override
  public void run() {
    long now = clock.getAsLong();
    for (LongConsumer task : tasks) {
      try {
        task.accept(now);
      } catch (Throwable bug) { // OutOfMemoryError too: the next tick may succeed
        log.error("A task of an event loop's tick failed; the next tick runs as usual", bug);
      }
    }
  }
}
