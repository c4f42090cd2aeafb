package io.penstock.core.layout;

import java.util.Arrays;

/**
 * A ring of points. A key belongs to the partition of the first point at or after its hash, or of
 * the lowest point if there is none.
 *
 * <p>A table leads from the upper bits of a hash to the first point that such a hash can have, so
 * that about one point has to be compared.
 */
final class Ring implements Places {

  private final int[] points; // in order, with the sign bit inverted; the last is a sentinel
  private final int[] partitions; // of each point
  private final int[] firsts; // index of a point, by the upper bits of a hash
  private final int shift;

  private Ring(long[] points, int[] partitions) {
    int size = points.length;
    this.points = new int[size + 1];
    this.partitions = new int[size + 1];
    for (int i = 0; i < size; i++) {
      this.points[i] = (int) (points[i] >>> Integer.SIZE);
      this.partitions[i] = partitions[(int) points[i]];
    }
    this.points[size] = Integer.MAX_VALUE;
    this.partitions[size] = this.partitions[0];
    int bits = Integer.SIZE - Integer.numberOfLeadingZeros(size);
    this.shift = Integer.SIZE - bits;
    this.firsts = new int[1 << bits];
    int next = 0;
    for (int upper = 0; upper < firsts.length; upper++) {
      while (this.points[next] < (upper << shift ^ Integer.MIN_VALUE)) {
        next++;
      }
      firsts[upper] = next;
    }
  }

  @Override
  public int at(long hash) {
    int wanted = (int) hash ^ Integer.MIN_VALUE;
    int i = firsts[(int) hash >>> shift];
    while (points[i] < wanted) {
      i++;
    }
    return partitions[i];
  }

  /** Collects points. */
  static final class Builder {

    private long[] points = new long[16]; // inverted point, then its number
    private int[] partitions = new int[16]; // by number
    private int size;

    /** Adds a point, 0 to 4294967295 as an unsigned number. Of equal points the first counts. */
    void add(int point, int partition) {
      if (size == points.length) {
        points = Arrays.copyOf(points, 2 * size);
        partitions = Arrays.copyOf(partitions, 2 * size);
      }
      points[size] = (long) (point ^ Integer.MIN_VALUE) << Integer.SIZE | size;
      partitions[size++] = partition;
    }

    /** Returns the ring. At least one point must have been added. */
    Ring build() {
      long[] sorted = Arrays.copyOf(points, size);
      Arrays.sort(sorted);
      return new Ring(sorted, partitions);
    }
  }
}
