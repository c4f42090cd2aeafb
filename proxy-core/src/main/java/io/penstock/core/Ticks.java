package io.penstock.core;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a loop does in every tick. No part keeps the others from theirs, and none ends the ticking:
 * an executor does not run again what has thrown, and every deadline depends on it.
 */
final class Ticks implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(Ticks.class);

  private final LongSupplier clock;
  private final List<LongConsumer> parts;

  /**
   * @param clock {@link System#nanoTime()} of a tick, which its parts are given
   */
  Ticks(LongSupplier clock, List<LongConsumer> parts) {
    this.clock = clock;
    this.parts = parts;
  }

  @Override
  public void run() {
    long now = clock.getAsLong();
    for (LongConsumer part : parts) {
      try {
        part.accept(now);
      } catch (Throwable bug) { // also for want of memory: there may be some in the next tick
        log.error("a part of a loop's tick failed; it will tick again", bug);
      }
    }
  }
}
