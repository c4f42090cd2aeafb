package io.penstock.core.transport;

import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * What is to be done at the end of this turn of an event loop. One task, queued with the first,
 * takes all of them in order, also those that are added meanwhile; one that fails does not keep the
 * others waiting. Confined to its loop.
 */
public final class EndOfTurnQueue<T> implements Runnable {

  private static final int CAPACITY = 64;

  private final EventLoop loop;
  private final Consumer<? super T> action;
  private Object[] due = new Object[CAPACITY];
  private int size;
  private int taken; // of them, in this run

  /**
   * @param action what is to be done with each
   */
  public EndOfTurnQueue(EventLoop loop, Consumer<? super T> action) {
    this.loop = loop;
    this.action = action;
  }

  /** Has {@code one} taken at the end of this turn: as often as it was added. */
  public void add(T one) {
    if (size == due.length) {
      due = Arrays.copyOf(due, size * 2);
    }
    if (size == 0) {
      loop.execute(this);
    }
    due[size++] = one;
  }

  /** Whether no other is due in this turn beside the one that was added. */
  boolean hasOne() {
    return size == 1;
  }

  /** Called by the loop. */
  @Override
  @SuppressWarnings("unchecked") // add() takes nothing else
  public void run() {
    try {
      while (taken < size) {
        action.accept((T) due[taken++]);
      }
    } finally {
      int rest = size - taken; // behind one that failed
      System.arraycopy(due, taken, due, 0, rest);
      Arrays.fill(due, rest, size, null);
      taken = 0;
      size = rest;
      if (rest > 0) {
        loop.execute(this);
      }
    }
  }

  /** Forgets what has not been taken yet. */
  public void clear() {
    Arrays.fill(due, 0, size, null);
    taken = 0;
    size = 0;
  }
}
