package io.penstock.core.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Keeps a log readable: what happens for the first time is told at once, what goes on happening now
 * and then. Safe from any thread.
 */
public final class ThrottledLog {

  private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

  private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - PERIOD_NANOS);
  private final AtomicLong untold = new AtomicLong();

  /**
   * It happened: tells of it now, or not.
   *
   * @param line writes it, given how often it happened since the last one, this time included
   */
  public void log(LongConsumer line) {
    long times = dueTimes();
    if (times > 0) {
      line.accept(times);
    }
  }

  /** As often as {@link #log} is to say; 0 when it is not to be told. */
  long dueTimes() {
    untold.incrementAndGet();
    long now = System.nanoTime();
    long last = toldAt.get();
    return now - last >= PERIOD_NANOS && toldAt.compareAndSet(last, now) ? untold.getAndSet(0) : 0;
  }
}
