package io.penstock.core.observe;

import java.util.concurrent.TimeUnit;

/**
 * The recent growth of a counter: the mean over the latest samples, about two seconds. Confined to
 * one event loop.
 */
public final class Rate {

  /** Time between two samples, in nanoseconds. */
  public static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final int SAMPLES = 4;

  private final long[] perSecond = new long[SAMPLES];
  private int next;
  private long lastAt;
  private long last;
  private boolean begun;

  /** Adds a sample: the counter was {@code total} at {@code now}, a {@link System#nanoTime()}. */
  public void sample(long now, long total) {
    if (begun) {
      double seconds = (double) (now - lastAt) / TimeUnit.SECONDS.toNanos(1);
      perSecond[next] = seconds <= 0 ? 0 : Math.round((total - last) / seconds);
      next = (next + 1) % SAMPLES;
    }
    begun = true;
    lastAt = now;
    last = total;
  }

  /** Returns the growth per second. */
  public long perSecond() {
    long sum = 0;
    for (long sample : perSecond) {
      sum += sample;
    }
    return sum / SAMPLES;
  }
}
