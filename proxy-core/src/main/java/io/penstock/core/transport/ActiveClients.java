package io.penstock.core.transport;

import java.util.concurrent.TimeUnit;

/**
 * How many clients of an event loop send requests at the same time: different ones that sent one
 * within {@value #SPAN_MILLIS} ms. Who is connected and silent does not count, nor who pipelines.
 * Confined to the loop.
 */
public final class ActiveClients {

  /** From so many on, each client waits for the others far longer than for the loop. */
  static final int LARGE = 256;

  static final long SPAN_MILLIS = 10;
  private static final long SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(SPAN_MILLIS);

  private long since;
  private int counted;
  private int last;

  ActiveClients(long now) {
    this.since = now;
  }

  /**
   * Bytes came from a client that asks for one thing at a time.
   *
   * @param before when bytes came from it the last time, and {@code now}: {@link System#nanoTime()}
   */
  public void onRequest(long before, long now) {
    long age = now - since;
    if (age >= SPAN_NANOS) {
      last = age < 2 * SPAN_NANOS ? counted : 0;
      counted = 0;
      since = now;
    }
    if (before - since < 0) {
      counted++;
    }
  }

  /** Whether there were many in the last span, or are already in this one. */
  public boolean areMany() {
    return last >= LARGE || counted >= LARGE;
  }
}
