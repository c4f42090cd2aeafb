package io.penstock.core.spec;

import java.util.Arrays;

/** A reusable list of argument indexes. Confined to one event loop. */
public final class KeyPositions {

  private static final int INITIAL_CAPACITY = 16;
  private static final int KEPT_CAPACITY = 1_024;

  private int[] indexes = new int[INITIAL_CAPACITY];
  private int size;

  /** Returns the number of positions. */
  public int size() {
    return size;
  }

  /** Returns the argument index at position {@code i}. */
  public int get(int i) {
    return indexes[i];
  }

  /** Removes all positions, and shrinks the list after an unusually long request. */
  public void clear() {
    size = 0;
    if (indexes.length > KEPT_CAPACITY) {
      indexes = new int[INITIAL_CAPACITY];
    }
  }

  /** Adds one argument index. */
  public void add(int index) {
    if (size == indexes.length) {
      indexes = Arrays.copyOf(indexes, size * 2);
    }
    indexes[size++] = index;
  }
}
