package io.penstock.core.dispatch;

import io.penstock.core.backend.Exchange;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import org.jspecify.annotations.Nullable;

/**
 * An exchange with a destination, for which a {@link Sender} chooses the node by the latest
 * placement. Its destination may be changed whenever it is not in flight. Confined to one event
 * loop.
 */
public abstract class PlacedExchange extends Exchange {

  /** The {@link #replica} of a read while no replica may be read. */
  public static final int NO_REPLICA = -1;

  private Destination destination = Destination.ANY_NODE;
  private int partition; // for PARTITION and SHARD
  private @Nullable Endpoint shardMaster; // for SHARD
  private boolean separate; // with SHARD
  private int replica = NO_REPLICA; // with readsReplica()

  /** Sets the destination to the node that serves a partition. */
  protected final void targetPartition(int number) {
    destination = Destination.PARTITION;
    partition = number;
  }

  /** Sets the destination to any node. */
  protected final void targetAnyNode() {
    destination = Destination.ANY_NODE;
  }

  /**
   * Sets the destination to a shard's master.
   *
   * @param master the shard's current master; it stays the destination while it is a master
   * @param number a partition of the shard: if {@code master} is no longer a master, the node that
   *     serves this partition has taken over
   * @param onSeparateConnection whether to use the connection that is separate from clients'
   *     requests
   */
  protected final void targetShard(Endpoint master, int number, boolean onSeparateConnection) {
    destination = Destination.SHARD;
    shardMaster = master;
    partition = number;
    separate = onSeparateConnection;
  }

  /** Copies the destination of {@code other}, and the connections that it uses there. */
  protected final void targetSameAs(PlacedExchange other) {
    destination = other.destination;
    partition = other.partition;
    shardMaster = other.shardMaster;
    separate = other.separate;
    replica = other.replica;
    useConnections(other.connections());
  }

  /**
   * Sets that a replica serves it, and which.
   *
   * @param number as its sender numbers replicas; {@link #NO_REPLICA} if none may be read at
   *     present
   */
  protected final void readAt(int number) {
    useConnections(connections().forReplicaReads());
    replica = number;
  }

  /** Sets that the master serves it. */
  protected final void readAtMaster() {
    useConnections(connections().forMaster());
    replica = NO_REPLICA;
  }

  public final Destination destination() {
    return destination;
  }

  /**
   * The destination partition, or a partition of the destination shard; only for {@link
   * Destination#PARTITION} and {@link Destination#SHARD}.
   */
  public final int partition() {
    return partition;
  }

  /** Returns whether the destination is that partition. */
  public final boolean isForPartition(int number) {
    return destination == Destination.PARTITION && partition == number;
  }

  /** Returns whether both have the same destination; all shards count as the same. */
  public final boolean hasSameDestination(PlacedExchange other) {
    return destination == other.destination
        && (destination != Destination.PARTITION || partition == other.partition);
  }

  /**
   * Returns the index in {@code placement} of the shard that serves it, or {@link
   * Placement#UNCOVERED}. Only for {@link Destination#PARTITION} and {@link Destination#SHARD}.
   */
  public final int shardIn(Placement placement) {
    Endpoint master = shardMaster;
    if (destination == Destination.SHARD && master != null) {
      int index = placement.indexOfMaster(master);
      if (index >= 0) {
        return index;
      }
    }
    return placement.ownerOf(partition);
  }

  /** Returns whether it uses the separate connection, as some exchanges for a shard do. */
  public final boolean mustUseSeparateConnection() {
    return destination == Destination.SHARD && separate;
  }

  /** Whether it may be sent to a node that only reads are sent to. */
  public final boolean readsReplica() {
    return connections().readsReplica();
  }

  /**
   * The number of the replica that serves it, if {@link #readsReplica}; {@link #NO_REPLICA} if none
   * may be read at present. Valid until it is dispatched.
   */
  public final int replica() {
    return replica;
  }
}
