package io.penstock.core.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a log readable: what happens for the first time is told at once, what goes on happening now
 * and then. Safe from any thread.
 */
public final class Notice {

  private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

  private final AtomicLong toldAt = new AtomicLong(System.nanoTime() - PERIOD_NANOS);
  private final AtomicLong untold = new AtomicLong();

  /**
   * Whether to tell of it now.
   *
   * @return how often it happened since it was told the last time, this time included; 0 when it is
   *     not to be told
   */
  public long times() {
    untold.incrementAndGet();
    long now = System.nanoTime();
    long last = toldAt.get();
    return now - last >= PERIOD_NANOS && toldAt.compareAndSet(last, now) ? untold.getAndSet(0) : 0;
  }
}
