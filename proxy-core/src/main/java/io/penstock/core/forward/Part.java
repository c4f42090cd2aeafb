package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.PendingReply;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;

/** The share of a divided request that goes to one partition or shard. */
public final class Part extends ClientExchange {

  /** The request that it is a part of. */
  interface Whole {
    /** Its client. */
    ExchangeOwner owner();

    /**
     * So many more bytes of replies are to be held, or fewer if negative.
     *
     * @return false when that is too much: they are dropped
     */
    boolean addPending(int bytes);

    /** Whether a reply that is no error is looked at; if not, it need not be held. */
    default boolean needsSuccessReplies() {
      return true;
    }

    /** A part failed within Penstock: there will be no answer, and what is held is dropped. */
    void onInternalError();

    /** A part's whole reply has come; it can be looked at until the part is discarded. */
    void onPartDone();
  }

  private final Whole whole;
  private final PendingReply pending = new PendingReply();
  private Outcome outcome = Outcome.OK;

  public Part(Whole whole) {
    super(whole.owner());
    this.whole = whole;
  }

  /**
   * The whole reply, borrowed until {@link #discard}; empty when it was fine and nobody reads such.
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

  /** Nothing of a part goes to the client before all parts are there. */
  @Override
  public boolean hasStartedReply() {
    return false;
  }
}
