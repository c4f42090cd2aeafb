package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of a request that goes to one node as it is, whose reply is the client's. Used
 * again: a loop keeps spare ones ({@link ForwardedPool}). Confined to the loop.
 */
final class Forwarded extends ClientExchange {

  private final @Nullable ForwardedPool pool;
  private @Nullable ReplySlot replySlot;

  /**
   * @param pool that it goes back to at its end; null for none
   */
  Forwarded(@Nullable ForwardedPool pool) {
    this.pool = pool;
  }

  /** Of a request with a place among the replies. */
  Forwarded begin(ExchangeOwner owner, ReplySlot place) {
    setOwner(owner);
    replySlot = place;
    return this;
  }

  /** Where its reply goes. */
  ReplySlot replySlot() {
    ReplySlot place = replySlot;
    if (place == null) {
      throw new IllegalStateException("an exchange was used after its end");
    }
    return place;
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    ReplySlot place = replySlot();
    releaseRequest();
    place.deliver(buffer, from, to, outcome);
    end();
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    ReplySlot place = replySlot();
    releaseRequest();
    place.answer(reply, outcome);
    end();
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    ReplySlot place = replySlot();
    if (last) {
      releaseRequest();
    }
    place.deliverPart(buffer, from, to, last);
    if (last) {
      end();
    }
  }

  @Override
  public void dropPending() {
    replySlot().dropPending();
  }

  @Override
  public boolean hasStartedReply() {
    return replySlot().hasBegun();
  }

  private void end() {
    if (pool != null) {
      replySlot = null;
      setOwner(null);
      pool.recycle(this);
    }
  }
}
