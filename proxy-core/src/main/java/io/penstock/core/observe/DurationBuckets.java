package io.penstock.core.observe;

/** The fixed buckets of the duration histogram: powers of two from 16 µs to 16.8 s. */
public final class DurationBuckets {

  /** Buckets with an upper bound; one more bucket counts longer durations. */
  public static final int BOUNDED = 21;

  private static final int FIRST_SHIFT = 14; // 2^14 ns = 16.4 µs

  private DurationBuckets() {}

  /** Returns the upper bounds in nanoseconds, both ends included, ascending. */
  public static long[] upperBounds() {
    long[] bounds = new long[BOUNDED];
    for (int i = 0; i < BOUNDED; i++) {
      bounds[i] = 1L << (FIRST_SHIFT + i);
    }
    return bounds;
  }

  /** Returns the bucket of a duration: {@link #BOUNDED} if it is longer than the last bound. */
  public static int indexOf(long nanos) {
    if (nanos <= 1L << FIRST_SHIFT) {
      return 0;
    }
    int bits = 64 - Long.numberOfLeadingZeros(nanos - 1);
    return Math.min(bits - FIRST_SHIFT, BOUNDED);
  }
}
