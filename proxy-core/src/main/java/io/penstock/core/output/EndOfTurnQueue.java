package io.penstock.core.output;

import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A queue of elements that are processed at the end of the loop turn. One task, submitted with the
 * first element, processes all in order, including those that are added meanwhile. If one fails the
 * others are still processed. Confined to its loop.
 */
public final class EndOfTurnQueue<T> implements Runnable {

  private static final int CAPACITY = 64;

  private final EventLoop loop;
  private final Consumer<? super T> action;
  private Object[] due = new Object[CAPACITY];
  private int size;
  private int processed; // in this run

  /**
   * @param action called with each element
   */
  public EndOfTurnQueue(EventLoop loop, Consumer<? super T> action) {
    this.loop = loop;
    this.action = action;
  }

  /** Adds an element to be processed at the end of this turn, as often as it was added. */
  public void add(T element) {
    if (size == due.length) {
      due = Arrays.copyOf(due, size * 2);
    }
    if (size == 0) {
      loop.execute(this);
    }
    due[size++] = element;
  }

  /** Returns whether only one element was added in this turn. */
  boolean hasOne() {
    return size == 1;
  }

  /** Called by the loop. */
  @Override
  @SuppressWarnings("unchecked") // add() takes nothing else
  public void run() {
    try {
      while (processed < size) {
        action.accept((T) due[processed++]);
      }
    } finally {
      int rest = size - processed; // after one that failed
      System.arraycopy(due, processed, due, 0, rest);
      Arrays.fill(due, rest, size, null);
      processed = 0;
      size = rest;
      if (rest > 0) {
        loop.execute(this);
      }
    }
  }

  /** Removes all elements that are not processed yet. */
  public void clear() {
    Arrays.fill(due, 0, size, null);
    processed = 0;
    size = 0;
  }
}
