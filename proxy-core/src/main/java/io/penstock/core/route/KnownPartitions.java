package io.penstock.core.route;

import io.penstock.core.resp.RequestFrame;
import java.util.Arrays;

/**
 * The partitions of one request's arguments, as far as they were found out before it is routed.
 * Holds for what its frame holds now. Confined to its loop.
 */
public final class KnownPartitions {

  /** Of no request. */
  public static final KnownPartitions NONE = new KnownPartitions(new RequestFrame());

  /** Longest argument whose partition is found out: longer ones are seldom keys. */
  public static final int MAX_ARGUMENT_LENGTH = 64 * 1024;

  private static final int UNKNOWN = -1;

  private final RequestFrame frame;
  private final int[] partitions;

  /** For the request that {@code frame} holds. */
  public KnownPartitions(RequestFrame frame) {
    this.frame = frame;
    this.partitions = new int[frame.argc()];
    Arrays.fill(partitions, UNKNOWN);
  }

  /** How many arguments there are. */
  public int arguments() {
    return partitions.length;
  }

  /** The argument's partition is {@code partition}. */
  public void set(int argument, int partition) {
    partitions[argument] = partition;
  }

  /** Whether the partition of that argument of {@code request} is known here. */
  boolean has(RequestFrame request, int argument) {
    return request == frame && partitions[argument] != UNKNOWN;
  }

  int get(int argument) {
    return partitions[argument];
  }
}
