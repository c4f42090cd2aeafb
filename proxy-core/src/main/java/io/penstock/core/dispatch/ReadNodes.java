package io.penstock.core.dispatch;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadSettings;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one loop that commands which only read may be sent to, if the upstream's reads do
 * not all go to masters. Confined to that loop.
 */
public interface ReadNodes {

  /** How reads are distributed. */
  ReadSettings settings();

  /** Returns the nodes of a partition's shard that may be read; null if no shard serves it. */
  @Nullable ReadGroup groupOf(int partition);

  /**
   * Leaves a node out for a short time, because it has just failed to serve a read of the
   * partition. Does nothing if it is not a replica of that partition's shard.
   */
  void leaveOut(int partition, Endpoint node);

  /** Counts a read that is sent to a replica. */
  void countReplicaRead();

  /** Counts a read that is sent to the master because its client wrote to the partition. */
  void countOwnWriteRead();
}
