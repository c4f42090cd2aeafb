package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Timeline;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One trip of a request to a node, and of its reply back; or of several requests that are sent
 * together, and of the reply to the last. It has the bytes, the deadlines and the callbacks; which
 * node it goes to is decided by its creator, or by a dispatcher for a {@code PlacedExchange}.
 * Exactly one of {@link #onReply}, the last {@link #onReplyPart} or {@link #onFailure} is called.
 * Until then its creator must not reuse it. Confined to one event loop.
 */
public abstract class Exchange {

  private static final Logger log = LoggerFactory.getLogger(Exchange.class);

  private @Nullable SharedBuffer bytes;
  private int offset;
  private int length;
  private Protocol protocol = Protocol.RESP2;
  private ConnectionKey connections = ConnectionKey.PLAIN;
  private int affinity;
  private long deadline; // once it was sent
  private long holdDeadline; // while it cannot be sent
  private HeldRequests.@Nullable PerNode heldFor; // now, or the last time
  private boolean held;
  private int expectedReplyBytes;
  private @Nullable Endpoint sentTo;
  private int interimReplyCount;
  private Exchange interimHandler = this;
  private @Nullable Timeline timeline;

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

  /** Sets what keeps the times of the request that it is sent for; null for nothing. */
  protected final void timeline(@Nullable Timeline times) {
    timeline = times;
  }

  final @Nullable Timeline timeline() {
    return timeline;
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

  /** Sets which of a node's connections it is sent over. Until then it uses the plain ones. */
  protected final void useConnections(ConnectionKey key) {
    connections = key;
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

  /** Sets the node that it is sent to. */
  public final void sentTo(Endpoint node) {
    sentTo = node;
  }

  /** The node that it was sent to last; null before that. */
  public final @Nullable Endpoint sentTo() {
    return sentTo;
  }

  /** Which of a node's connections it is sent over. */
  public final ConnectionKey connections() {
    return connections;
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

  /** Returns whether its reply is still wanted; asked when it has waited for long. */
  public boolean isWanted() {
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
