package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.Protocol;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on its way to a node, and its reply on the way back; or several requests that stay
 * together, and the reply to the last. Whoever makes it keeps it until exactly one of {@link
 * #onReply}, the last {@link #onReplyPart} or {@link #onFailure} was called; after that it may be
 * used again. Confined to one event loop.
 */
public abstract class Exchange {

  /** Where an exchange is to go. It is carried here, and read where its node is chosen. */
  public enum Destination {
    /** To the node that serves a partition. */
    PARTITION,
    /** To any node: all can serve it. */
    ANY_NODE,
    /** To one shard's master, whatever the partitions are there. */
    SHARD,
    /** To the one node that it is given to: it means nothing to another. */
    ENDPOINT
  }

  private static final Logger log = LoggerFactory.getLogger(Exchange.class);

  private @Nullable SharedBuffer bytes;
  private int offset;
  private int length;
  private Destination destination = Destination.ENDPOINT;
  private int partition; // of PARTITION and SHARD
  private Protocol protocol = Protocol.RESP2;
  private int affinity;
  private long deadline; // of what was sent
  private long holdDeadline; // if it cannot be
  private HeldRequests.@Nullable Place heldFor; // now, or until now
  private boolean held;
  private @Nullable Endpoint shardMaster; // of SHARD
  private boolean aside;
  private int expectedReplyBytes;
  private @Nullable Endpoint sentTo;
  private int interimReplyCount;
  private Exchange interimHandler = this;

  /**
   * Sets who takes the replies that come before this exchange's own, when its bytes are several
   * requests.
   *
   * @param taker called once for each
   * @param count of them
   */
  protected final void interimReplies(Exchange taker, int count) {
    interimHandler = taker;
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
   * @param shared one share of it goes over to this exchange, until {@link #releaseBytes}
   */
  protected final void bytes(SharedBuffer shared, int from, int size) {
    bytes = shared;
    offset = from;
    length = size;
  }

  /**
   * Gives the request's bytes back, when they will not be sent again.
   *
   * @return false when that was done before
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

  /** It goes to the node that serves a partition. */
  protected final void targetPartition(int number) {
    destination = Destination.PARTITION;
    partition = number;
  }

  /** It goes to any node. */
  protected final void targetAnyNode() {
    destination = Destination.ANY_NODE;
  }

  /**
   * It goes to a shard's master.
   *
   * @param master the shard's master now; as long as it is a master it stays the destination
   * @param number a partition of the shard: when the master is none any more, the node that serves
   *     this partition has taken its place
   * @param apart whether it goes over a connection that carries nothing else
   */
  protected final void targetShard(Endpoint master, int number, boolean apart) {
    destination = Destination.SHARD;
    shardMaster = master;
    partition = number;
    aside = apart;
  }

  /** It goes to the node that it is given to, and to no other. */
  protected final void targetEndpoint() {
    destination = Destination.ENDPOINT;
  }

  /** It goes where {@code other} goes, which is for no shard. */
  protected final void targetSameAs(Exchange other) {
    destination = other.destination;
    partition = other.partition;
  }

  /**
   * Sets how it is sent, and until when.
   *
   * @param spoken protocol that the reply must have
   * @param clientAffinity the same for all requests of one client: they share connections, in order
   * @param deadlineNanos {@link System#nanoTime()} at which it fails
   */
  protected final void sendOptions(Protocol spoken, int clientAffinity, long deadlineNanos) {
    sendOptions(spoken, clientAffinity, deadlineNanos, deadlineNanos);
  }

  /**
   * The same for what waits longer than that as long as it cannot be sent.
   *
   * @param holdNanos {@link System#nanoTime()} until which it waits, not before its deadline
   */
  protected final void sendOptions(
      Protocol spoken, int clientAffinity, long deadlineNanos, long holdNanos) {
    protocol = spoken;
    affinity = clientAffinity;
    deadline = deadlineNanos;
    holdDeadline = holdNanos;
  }

  /** Sets how many bytes the reply is expected to have; 0 where that is not much. */
  protected final void expectReplyBytes(int bytes) {
    expectedReplyBytes = bytes;
  }

  /** The same. */
  protected final int expectedReplyBytes() {
    return expectedReplyBytes;
  }

  /** The buffer that the request's bytes lie in, borrowed; only before {@link #releaseBytes}. */
  protected final SharedBuffer sharedBytes() {
    SharedBuffer shared = bytes;
    if (shared == null) {
      throw new IllegalStateException("the request's bytes were given back");
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

  /** Notes the node that it is given to. */
  public final void sentTo(Endpoint node) {
    sentTo = node;
  }

  /** The node it was given to last; null before that. */
  public final @Nullable Endpoint sentTo() {
    return sentTo;
  }

  public final Destination destination() {
    return destination;
  }

  /**
   * The partition that it goes to, or one of the shard; only of {@link Destination#PARTITION} and
   * {@link Destination#SHARD}.
   */
  public final int partition() {
    return partition;
  }

  /** The master that the shard had when it was prepared; only of {@link Destination#SHARD}. */
  public final Endpoint shardMaster() {
    Endpoint master = shardMaster;
    if (master == null) {
      throw new IllegalStateException("an exchange for no shard");
    }
    return master;
  }

  /** Whether it goes to the node that serves that partition. */
  public final boolean isForPartition(int number) {
    return destination == Destination.PARTITION && partition == number;
  }

  /** Whether it has such a destination; {@code number} counts for a partition only. */
  public final boolean hasDestination(Destination where, int number) {
    return destination == where && (where != Destination.PARTITION || partition == number);
  }

  /** Whether it and {@code other} go by the same destination; all shards count as one. */
  public final boolean hasSameDestination(Exchange other) {
    return hasDestination(other.destination, other.partition);
  }

  /** Whether it goes over a connection that carries nothing else; for a shard only. */
  public final boolean mustUseSeparateConnection() {
    return destination == Destination.SHARD && aside;
  }

  public final Protocol protocol() {
    return protocol;
  }

  public final int affinity() {
    return affinity;
  }

  /** {@link System#nanoTime()} at which the exchange fails once it was sent. */
  public final long deadline() {
    return deadline;
  }

  /** {@link System#nanoTime()} at which the exchange fails as long as it could not be sent. */
  public final long holdDeadline() {
    return holdDeadline;
  }

  /**
   * It has waited and is sent only now: the time for its reply begins here, if it may wait longer
   * than its deadline.
   *
   * @param now {@link System#nanoTime()}
   * @param timeoutNanos a command's time
   */
  public final void extendDeadline(long now, long timeoutNanos) {
    if (holdDeadline - deadline > 0) { // else it was sent late once, after which there is an end
      deadline = now + timeoutNanos;
    }
  }

  /** Whether somebody waits for it who is still there; to be asked when it has waited for long. */
  public boolean isClientConnected() {
    return true;
  }

  final boolean isHeld() {
    return held;
  }

  final HeldRequests.@Nullable Place heldFor() {
    return heldFor;
  }

  final void held(boolean on) {
    held = on;
  }

  final void heldFor(HeldRequests.@Nullable Place place) {
    heldFor = place;
  }

  /**
   * A whole reply lies in {@code buffer} from {@code from} to before {@code to}; the buffer is
   * borrowed.
   */
  public abstract void onReply(ByteBuf buffer, int from, int to);

  /**
   * The next part of a reply that is passed on while it arrives. Never an error or status reply.
   *
   * @param buffer borrowed
   * @param last true for the part that ends the reply
   */
  public abstract void onReplyPart(ByteBuf buffer, int from, int to, boolean last);

  /** There will be no reply, or no more of it. */
  public abstract void onFailure(Failure failure);

  /**
   * One of the above has thrown: a defect, or memory that could not be had. Nothing else is called
   * any more.
   *
   * @return whether the one who waits was seen to, so that the connection may go on with others;
   *     false where it is of no more use after that
   */
  public boolean recoverFrom(Throwable defect) {
    return false;
  }

  /** Calls {@link #onFailure} where others are to be told, too: what goes wrong in it ends here. */
  public final void fail(Failure failure) {
    try {
      onFailure(failure);
    } catch (Throwable e) {
      if (!recoverFrom(e)) {
        log.error("a failure could not be handled", e);
      }
    }
  }
}
