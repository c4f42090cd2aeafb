package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of a request that is forwarded unchanged to one node, with the node's reply for the
 * client; or a request of which only parts are sent. Reused ({@link ForwardedPool}). Confined to
 * the loop.
 */
class Forwarded extends ClientExchange {

  private final @Nullable ForwardedPool pool;
  private @Nullable ReplySlot replySlot;

  /**
   * @param pool that it returns to at its end; null if it is not reused
   */
  Forwarded(@Nullable ForwardedPool pool) {
    this.pool = pool;
  }

  /** Starts the exchange of a request whose reply goes to {@code slot}. */
  Forwarded begin(ExchangeOwner owner, ReplySlot slot) {
    setOwner(owner);
    replySlot = slot;
    timeline(slot.timeline());
    return this;
  }

  /** Returns where the reply goes. */
  ReplySlot replySlot() {
    ReplySlot slot = replySlot;
    if (slot == null) {
      throw new IllegalStateException("an exchange was used after its end");
    }
    return slot;
  }

  /** Returns the slot, which may be another request's as soon as its reply is complete. */
  private ReplySlot takeSlot() {
    ReplySlot slot = replySlot();
    replySlot = null;
    return slot;
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    ReplySlot slot = takeSlot();
    releaseRequest();
    slot.deliver(buffer, from, to, outcome);
    end();
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    ReplySlot slot = takeSlot();
    releaseRequest();
    slot.answer(reply, outcome);
    end();
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    ReplySlot slot = last ? takeSlot() : replySlot();
    if (last) {
      releaseRequest();
    }
    slot.deliverPart(buffer, from, to, last);
    if (last) {
      end();
    }
  }

  @Override
  public void dropPending() {
    ReplySlot slot = replySlot;
    if (slot != null) {
      slot.dropPending();
    }
  }

  @Override
  public boolean hasStartedReply() {
    return replySlot().hasBegun();
  }

  private void end() {
    if (pool != null) {
      setOwner(null);
      pool.recycle(this);
    }
  }
}
