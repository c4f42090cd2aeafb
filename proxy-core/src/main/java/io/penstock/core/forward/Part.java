package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Outcome;
import io.penstock.core.observe.Timeline;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import org.jspecify.annotations.Nullable;

/** The part of a split request that goes to one partition or shard. */
public final class Part extends ClientExchange {

  /** The request that a part belongs to. */
  interface Whole {
    /** The client, as the owner of its exchanges. */
    ExchangeOwner owner();

    /** What keeps the times of the request; null for nothing. */
    @Nullable Timeline timeline();

    /**
     * Adds bytes to the pending ones of all replies, or removes them if negative.
     *
     * @return false if there are too many: these must be dropped
     */
    boolean addPending(int bytes);

    /** Returns whether replies that are not errors are read; if not, they need not be kept. */
    default boolean needsSuccessReplies() {
      return true;
    }

    /**
     * Handles an internal error of a part: there will be no reply, and what is pending is dropped.
     */
    void onInternalError();

    /** Handles the whole reply of a part, which can be read until the part is discarded. */
    void onPartDone();
  }

  private final Whole whole;
  private final PendingReply pending = new PendingReply();
  private Outcome outcome = Outcome.OK;

  public Part(Whole whole) {
    super(whole.owner());
    this.whole = whole;
    timeline(whole.timeline());
  }

  /**
   * Returns the whole reply, borrowed until {@link #discard}; empty if it was no error and such
   * replies are not read.
   */
  ByteBuf reply() {
    return pending.view();
  }

  Outcome outcome() {
    return outcome;
  }

  void discard() {
    pending.clear();
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome how) {
    outcome = how;
    if (how != Outcome.OK || whole.needsSuccessReplies()) {
      addToPending(buffer, from, to);
    }
    releaseRequest();
    whole.onPartDone();
  }

  @Override
  public void answer(byte[] reply, Outcome how) {
    dropPending();
    deliver(Unpooled.wrappedBuffer(reply), 0, reply.length, how);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    addToPending(buffer, from, to);
    if (last) {
      releaseRequest();
      whole.onPartDone();
    }
  }

  private void addToPending(ByteBuf buffer, int from, int to) {
    if (whole.addPending(to - from)) {
      pending.append(buffer, from, to, account().hasMuchPending());
    }
  }

  @Override
  public void dropPending() {
    whole.addPending(-pending.size());
    pending.clear();
  }

  @Override
  public void onInternalError() {
    whole.onInternalError();
  }

  /** Returns false: nothing of a part goes to the client before all parts are here. */
  @Override
  public boolean hasStartedReply() {
    return false;
  }
}
