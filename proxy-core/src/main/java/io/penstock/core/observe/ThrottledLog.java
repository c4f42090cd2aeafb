package io.penstock.core.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Limits how often a repeating event is logged: the first time at once, then at most once in 10
 * seconds. Safe from any thread.
 */
public final class ThrottledLog {

  private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

  private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - PERIOD_NANOS);
  private final AtomicLong notLogged = new AtomicLong();

  /**
   * The event happened: logs it if a line is due.
   *
   * @param line writes the log line; it gets how often the event happened since the last line, this
   *     time included
   */
  public void log(LongConsumer line) {
    long times = dueTimes();
    if (times > 0) {
      line.accept(times);
    }
  }

  /**
   * Counts the event. Returns how often it happened since the last line if a line is due, otherwise
   * 0.
   */
  long dueTimes() {
    notLogged.incrementAndGet();
    long now = System.nanoTime();
    long last = loggedAt.get();
    return now - last >= PERIOD_NANOS && loggedAt.compareAndSet(last, now)
        ? notLogged.getAndSet(0)
        : 0;
  }
}
