package io.penstock.core.route;

import io.penstock.core.resp.RequestFrame;
import java.util.Arrays;

/**
 * The partitions of a request's arguments, as far as they were computed before routing. Valid as
 * long as the frame holds that request. Confined to its loop.
 */
public final class KnownPartitions {

  /** For no request. */
  public static final KnownPartitions NONE = new KnownPartitions(new RequestFrame());

  /** Longest argument whose partition is computed: longer ones are rarely keys. */
  public static final int MAX_ARGUMENT_LENGTH = 64 * 1024;

  private static final int UNKNOWN = -1;

  private final RequestFrame frame;
  private final int[] partitions;

  /** Creates an instance for the request in {@code frame}. */
  public KnownPartitions(RequestFrame frame) {
    this.frame = frame;
    this.partitions = new int[frame.argc()];
    Arrays.fill(partitions, UNKNOWN);
  }

  /** The number of arguments. */
  public int arguments() {
    return partitions.length;
  }

  /** Sets the partition of an argument. */
  public void set(int argument, int partition) {
    partitions[argument] = partition;
  }

  /** Returns whether the partition of that argument of {@code request} is known. */
  boolean has(RequestFrame request, int argument) {
    return request == frame && partitions[argument] != UNKNOWN;
  }

  int get(int argument) {
    return partitions[argument];
  }
}
