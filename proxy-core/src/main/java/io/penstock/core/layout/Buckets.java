package io.penstock.core.layout;

/** Slots of Codis and buckets of camellia: the hash modulo their number, which is the partition. */
final class Buckets implements Places {

  private final int count;
  private final boolean powerOfTwo;

  Buckets(int count) {
    this.count = count;
    this.powerOfTwo = Integer.bitCount(count) == 1;
  }

  /**
   * The hash is negative for camellia's -2147483648 only. Camellia has no bucket for it, unless
   * their number is a power of two, and answers an error. Here it has the one of its absolute
   * value.
   */
  @Override
  public int at(long hash) {
    return powerOfTwo ? (int) hash & count - 1 : (int) (Math.abs(hash) % count);
  }
}
