package io.penstock.core.transport;

import java.util.concurrent.TimeUnit;

/**
 * Counts the clients of an event loop that have sent a request within {@value #SPAN_MILLIS} ms.
 * Idle clients and clients that pipeline do not count. Confined to the loop.
 */
public final class ActiveClients {

  /** With this many, each client waits far longer for the others than for the loop. */
  static final int MANY = 256;

  static final long SPAN_MILLIS = 10;
  private static final long SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(SPAN_MILLIS);

  private long since;
  private int counted;
  private int last;

  ActiveClients(long now) {
    this.since = now;
  }

  /**
   * Bytes came from a client that does not pipeline.
   *
   * @param before {@link System#nanoTime()} of the client's previous bytes
   * @param now {@link System#nanoTime()}
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

  /** Returns whether there were many in the previous span, or are in the current one. */
  public boolean areMany() {
    return last >= MANY || counted >= MANY;
  }
}
