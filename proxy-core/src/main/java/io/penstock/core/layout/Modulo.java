package io.penstock.core.layout;

import java.util.List;

/** The hash, without a sign, modulo the sum of the weights. */
final class Modulo implements Places {

  private final int[] partitions;
  private final long[] ends; // the sum of the weights up to and with each partition's
  private final long total;

  private Modulo(int[] partitions, long[] ends) {
    this.partitions = partitions;
    this.ends = ends;
    this.total = ends[ends.length - 1];
  }

  /** Returns the places of servers in twemproxy's order. */
  static Modulo weighted(List<RingServer> servers) {
    int[] partitions = new int[servers.size()];
    long[] ends = new long[servers.size()];
    long sum = 0;
    for (int i = 0; i < ends.length; i++) {
      sum += servers.get(i).weight();
      partitions[i] = servers.get(i).partition();
      ends[i] = sum;
    }
    return new Modulo(partitions, ends);
  }

  /** Returns the places of {@code count} partitions with the same weight. */
  static Modulo even(int count) {
    int[] partitions = new int[count];
    long[] ends = new long[count];
    for (int i = 0; i < count; i++) {
      partitions[i] = i;
      ends[i] = i + 1L;
    }
    return new Modulo(partitions, ends);
  }

  @Override
  public int at(long hash) {
    long rest = Long.remainderUnsigned(hash, total);
    if (total == partitions.length) {
      return partitions[(int) rest];
    }
    int i = 0;
    while (ends[i] <= rest) {
      i++;
    }
    return partitions[i];
  }
}
