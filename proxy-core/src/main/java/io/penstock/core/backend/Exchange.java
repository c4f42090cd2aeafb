package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One trip of a request to a node, and of its reply back; or of several requests that are sent
 * together, and of the reply to the last. Exactly one of {@link #onReply}, the last {@link
 * #onReplyPart} or {@link #onFailure} is called. Until then its creator must not reuse it. Confined
 * to one event loop.
 */
public abstract class Exchange {

  /** The destination of an exchange. Dispatchers read it to choose the node. */
  public enum Destination {
    /** The node that serves a partition. */
    PARTITION,
    /** Any node: all can serve it. */
    ANY_NODE,
    /** The master of one shard, regardless of its partitions. */
    SHARD,
    /** A fixed node: the exchange makes no sense to another. */
    ENDPOINT
  }

  /** Stands for the upstream's own database, the one that plain connections use. */
  public static final int DEFAULT_DATABASE = -1;

  /**
   * Stands for no database in particular: the exchange selects one itself before anything else. It
   * uses connections that carry only such exchanges, so it may leave any database selected.
   */
  public static final int ANY_DATABASE = -2;

  /** The highest number of a database. */
  public static final int MAX_DATABASE = (1 << 30) - 2; // twice that, and some more, fits an int

  /** The {@link #replica} of a read while no replica may be read. */
  public static final int NO_REPLICA = -1;

  private static final Logger log = LoggerFactory.getLogger(Exchange.class);

  private @Nullable SharedBuffer bytes;
  private int offset;
  private int length;
  private Destination destination = Destination.ENDPOINT;
  private int partition; // for PARTITION and SHARD
  private Protocol protocol = Protocol.RESP2;
  private int connectionSet; // 0: plain; else see database()
  private int replica = NO_REPLICA; // with readsReplica()
  private int affinity;
  private long deadline; // once it was sent
  private long holdDeadline; // while it cannot be sent
  private HeldRequests.@Nullable PerNode heldFor; // now, or the last time
  private boolean held;
  private @Nullable Endpoint shardMaster; // for SHARD
  private boolean separate;
  private int expectedReplyBytes;
  private @Nullable Endpoint sentTo;
  private int interimReplyCount;
  private Exchange interimHandler = this;

  /**
   * Sets the handler of the replies before this exchange's own, if its bytes are several requests.
   *
   * @param handler called once for each of these replies
   * @param count number of these replies
   */
  protected final void interimReplies(Exchange handler, int count) {
    interimHandler = handler;
    interimReplyCount = count;
  }

  final Exchange interimHandler() {
    return interimHandler;
  }

  final int interimReplyCount() {
    return interimReplyCount;
  }

  /**
   * Sets the request's bytes.
   *
   * @param shared this exchange takes ownership of one share, until {@link #releaseBytes}
   */
  protected final void bytes(SharedBuffer shared, int from, int size) {
    bytes = shared;
    offset = from;
    length = size;
  }

  /**
   * Releases the request's bytes. They cannot be sent again after that.
   *
   * @return false if they were released before
   */
  protected final boolean releaseBytes() {
    SharedBuffer shared = bytes;
    if (shared == null) {
      return false;
    }
    bytes = null;
    shared.release();
    return true;
  }

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

  /** Sets the destination to the node that it is dispatched to, and no other. */
  protected final void targetEndpoint() {
    destination = Destination.ENDPOINT;
  }

  /** Copies the destination of {@code other}, which must not be a shard. */
  protected final void targetSameAs(Exchange other) {
    destination = other.destination;
    partition = other.partition;
  }

  /**
   * Sets protocol, affinity and deadline.
   *
   * @param spoken protocol of the reply
   * @param clientAffinity the same for all requests of one client: they use the same connections,
   *     in order
   * @param deadlineNanos {@link System#nanoTime()} at which it fails
   */
  protected final void sendOptions(Protocol spoken, int clientAffinity, long deadlineNanos) {
    sendOptions(spoken, clientAffinity, deadlineNanos, deadlineNanos);
  }

  /**
   * Sets protocol, affinity and deadlines of an exchange that may be in a failover hold for longer
   * than its deadline.
   *
   * @param holdNanos {@link System#nanoTime()} until which it may wait to be sent, not before its
   *     deadline
   */
  protected final void sendOptions(
      Protocol spoken, int clientAffinity, long deadlineNanos, long holdNanos) {
    protocol = spoken;
    affinity = clientAffinity;
    deadline = deadlineNanos;
    holdDeadline = holdNanos;
  }

  /**
   * Sets the database and that it must not read from a replica. Until this is called, it uses the
   * upstream's own database.
   *
   * @param number {@link #DEFAULT_DATABASE}, {@link #ANY_DATABASE}, or a database that is not the
   *     upstream's own
   */
  protected final void useDatabase(int number) {
    connectionSet = connectionSet(number);
  }

  /** Sets whether it may be sent to a node that only reads are sent to. */
  protected final void readsReplica(boolean reads) {
    connectionSet = reads ? connectionSet | 1 : connectionSet & ~1;
  }

  /**
   * Sets that a replica serves it, and which.
   *
   * @param number as its dispatcher numbers replicas; {@link #NO_REPLICA} if none may be read at
   *     present
   */
  protected final void readAt(int number) {
    readsReplica(true);
    replica = number;
  }

  /** Sets that the master serves it. */
  protected final void readAtMaster() {
    readsReplica(false);
    replica = NO_REPLICA;
  }

  /** Uses the same connections as {@code other}: its database, and whether it reads a replica. */
  protected final void useConnectionsOf(Exchange other) {
    connectionSet = other.connectionSet;
  }

  /** Sets how many bytes the reply is expected to have; 0 for a small reply. */
  protected final void expectReplyBytes(int bytes) {
    expectedReplyBytes = bytes;
  }

  /** How many bytes the reply is expected to have; 0 for a small reply. */
  protected final int expectedReplyBytes() {
    return expectedReplyBytes;
  }

  /** The buffer with the request's bytes, borrowed; only before {@link #releaseBytes}. */
  protected final SharedBuffer sharedBytes() {
    SharedBuffer shared = bytes;
    if (shared == null) {
      throw new IllegalStateException("the request's bytes were released");
    }
    return shared;
  }

  /** Index of the request's first byte. */
  protected final int offset() {
    return offset;
  }

  /** The request's length in bytes. */
  protected final int length() {
    return length;
  }

  /** Sets the node that it was dispatched to. */
  public final void sentTo(Endpoint node) {
    sentTo = node;
  }

  /** The node that it was dispatched to last; null before that. */
  public final @Nullable Endpoint sentTo() {
    return sentTo;
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

  /** The shard's master when the exchange was prepared; only for {@link Destination#SHARD}. */
  public final Endpoint shardMaster() {
    Endpoint master = shardMaster;
    if (master == null) {
      throw new IllegalStateException("the exchange has no shard");
    }
    return master;
  }

  /** Returns whether the destination is that partition. */
  public final boolean isForPartition(int number) {
    return destination == Destination.PARTITION && partition == number;
  }

  /** Returns whether it has this destination; {@code number} matters for a partition only. */
  public final boolean hasDestination(Destination where, int number) {
    return destination == where && (where != Destination.PARTITION || partition == number);
  }

  /** Returns whether both have the same destination; all shards count as the same. */
  public final boolean hasSameDestination(Exchange other) {
    return hasDestination(other.destination, other.partition);
  }

  /** Returns whether it uses the separate connection, as some exchanges for a shard do. */
  public final boolean mustUseSeparateConnection() {
    return destination == Destination.SHARD && separate;
  }

  /** The database, or one of the constants for it. */
  public final int database() {
    return databaseOf(connectionSet);
  }

  /** Whether it may be sent to a node that only reads are sent to. */
  public final boolean readsReplica() {
    return isForReads(connectionSet);
  }

  /**
   * The number of the replica that serves it, if {@link #readsReplica}; {@link #NO_REPLICA} if none
   * may be read at present. Valid until it is dispatched.
   */
  public final int replica() {
    return replica;
  }

  /**
   * Which of a node's connections it needs: one number for each database, with and without reads
   * from replicas. 0 are the plain ones: the upstream's own database, no such reads.
   */
  public final int connectionSet() {
    return connectionSet;
  }

  /** The {@link #connectionSet} of exchanges that do not read from replicas. */
  public static int connectionSet(int database) {
    return (database + 1) << 1;
  }

  static int databaseOf(int connectionSet) {
    return (connectionSet >> 1) - 1;
  }

  /** Returns the connections for reads from replicas in the same database. */
  public static int forReads(int connectionSet) {
    return connectionSet | 1;
  }

  static boolean isForReads(int connectionSet) {
    return (connectionSet & 1) != 0;
  }

  public final Protocol protocol() {
    return protocol;
  }

  public final int affinity() {
    return affinity;
  }

  /** {@link System#nanoTime()} at which the exchange fails after it was sent. */
  public final long deadline() {
    return deadline;
  }

  /** {@link System#nanoTime()} at which the exchange fails if it could not be sent. */
  public final long holdDeadline() {
    return holdDeadline;
  }

  /** Has the exchange wait no longer than its deadline: no node will take over what it is for. */
  final void endHoldAtDeadline() {
    holdDeadline = deadline;
  }

  /**
   * Restarts the timeout of an exchange that is sent after a failover hold, if its hold deadline is
   * later than its deadline.
   *
   * @param now {@link System#nanoTime()}
   * @param timeoutNanos the command timeout
   */
  public final void extendDeadline(long now, long timeoutNanos) {
    if (holdDeadline - deadline > 0) { // else it was extended before, which must end
      deadline = now + timeoutNanos;
    }
  }

  /** Returns whether its client is still connected; called when it has waited for long. */
  public boolean isClientConnected() {
    return true;
  }

  final boolean isHeld() {
    return held;
  }

  final HeldRequests.@Nullable PerNode heldFor() {
    return heldFor;
  }

  final void held(boolean on) {
    held = on;
  }

  final void heldFor(HeldRequests.@Nullable PerNode node) {
    heldFor = node;
  }

  /**
   * A whole reply has arrived.
   *
   * @param buffer borrowed; the reply is from index {@code from} to before {@code to}
   */
  public abstract void onReply(ByteBuf buffer, int from, int to);

  /**
   * The next part of a large reply has arrived. Never an error or status reply.
   *
   * @param buffer borrowed
   * @param last true for the last part
   */
  public abstract void onReplyPart(ByteBuf buffer, int from, int to, boolean last);

  /** There is no reply, or no more of it. */
  public abstract void onFailure(Failure failure);

  /**
   * One of the callbacks above has thrown, because of a defect or because memory could not be
   * allocated. No other callback follows.
   *
   * @return whether the failure was handled, so that the connection can continue; false if the
   *     connection must be closed
   */
  public boolean recoverFrom(Throwable defect) {
    return false;
  }

  /** Calls {@link #onFailure} and catches what it throws, so that other exchanges can follow. */
  public final void fail(Failure failure) {
    try {
      onFailure(failure);
    } catch (Throwable e) {
      if (!recoverFrom(e)) {
        log.error("A failure could not be handled", e);
      }
    }
  }
}
