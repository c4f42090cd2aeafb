package io.penstock.core.backend;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A ring of exchanges in flight, oldest first. Grows, and shrinks when it is empty.
 *
 * <p>{@code ReplySequence} has a ring of its own. One class for both would cost each client an
 * object, and each request one more load and the type checks of a generic array; what they have in
 * common is the arithmetic of an index.
 */
final class InFlightRing {

  private static final int INITIAL = 64;
  private static final int KEPT = 4_096;

  private @Nullable Exchange[] slots = new Exchange[INITIAL];
  private int head;
  private int size;

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(Exchange exchange) {
    if (size == slots.length) {
      grow();
    }
    slots[(head + size) & (slots.length - 1)] = exchange;
    size++;
  }

  /** Returns the oldest; the ring must not be empty. */
  Exchange first() {
    return at(0);
  }

  /** Returns the {@code i}-th oldest. */
  Exchange at(int i) {
    Exchange exchange = slots[(head + i) & (slots.length - 1)];
    if (exchange == null || i >= size) {
      throw new IllegalStateException("no exchange at " + i + " of " + size);
    }
    return exchange;
  }

  /** Replaces the {@code i}-th oldest. */
  void replace(int i, Exchange exchange) {
    slots[(head + i) & (slots.length - 1)] = exchange;
  }

  /** Removes and returns the oldest. */
  Exchange poll() {
    Exchange first = first();
    slots[head] = null;
    head = (head + 1) & (slots.length - 1);
    size--;
    if (size == 0 && slots.length > KEPT) {
      slots = new Exchange[INITIAL];
      head = 0;
    }
    return first;
  }

  private void grow() {
    int tail = slots.length - head;
    @Nullable Exchange[] larger = Arrays.copyOfRange(slots, head, head + slots.length * 2);
    System.arraycopy(slots, 0, larger, tail, head);
    slots = larger;
    head = 0;
  }
}
