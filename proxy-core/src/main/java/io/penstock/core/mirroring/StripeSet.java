package io.penstock.core.mirroring;

import java.util.Arrays;

/** Collects the stripes of a request. */
final class StripeSet {

  private static final int[] ALL = new int[Stripes.COUNT];

  static {
    for (int i = 0; i < ALL.length; i++) {
      ALL[i] = i;
    }
  }

  private int[] collected;
  private int size;

  /**
   * @param keys how many will be added
   */
  StripeSet(int keys) {
    collected = new int[keys];
  }

  /** Returns all stripes; not to be changed. */
  static int[] all() {
    return ALL;
  }

  void add(int stripe) {
    collected[size++] = stripe;
  }

  /** Returns the stripes in ascending order, each once. */
  int[] numbers() {
    if (size > 1) {
      Arrays.sort(collected, 0, size);
      int distinct = 1;
      for (int i = 1; i < size; i++) {
        if (collected[i] != collected[distinct - 1]) {
          collected[distinct++] = collected[i];
        }
      }
      size = distinct;
    }
    return size == collected.length ? collected : Arrays.copyOf(collected, size);
  }
}
