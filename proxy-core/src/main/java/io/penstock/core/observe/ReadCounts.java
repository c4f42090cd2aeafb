package io.penstock.core.observe;

/**
 * Reads of an upstream whose clients also read from replicas.
 *
 * @param replicas reads that were sent to replicas
 * @param ownWrites reads that were sent to the master because their client had written to the
 *     partition
 */
public record ReadCounts(long replicas, long ownWrites) {

  /** Nothing was read from replicas. */
  public static final ReadCounts NONE = new ReadCounts(0, 0);

  /** Returns the sum of both. */
  public ReadCounts plus(ReadCounts other) {
    return new ReadCounts(replicas + other.replicas, ownWrites + other.ownWrites);
  }
}
