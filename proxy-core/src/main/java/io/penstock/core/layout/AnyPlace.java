package io.penstock.core.layout;

import java.util.function.IntUnaryOperator;

/** One of some partitions at random, each with the same probability. */
final class AnyPlace implements Places {

  private final int[] partitions;
  private final IntUnaryOperator random;

  /**
   * @param partitions at least one
   * @param random returns a number from 0 to its argument, which is not included. Called on any
   *     thread
   */
  AnyPlace(int[] partitions, IntUnaryOperator random) {
    this.partitions = partitions;
    this.random = random;
  }

  @Override
  public int at(long hash) {
    return partitions[random.applyAsInt(partitions.length)];
  }
}
