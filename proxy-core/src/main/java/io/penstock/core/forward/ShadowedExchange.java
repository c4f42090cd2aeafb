package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.shadow.ShadowedRead;

/**
 * The exchange of a read that goes to a shadow too, which is told of the reply after the client.
 * Confined to the loop.
 */
final class ShadowedExchange extends Forwarded {

  private final ShadowedRead read;

  ShadowedExchange(ShadowedRead read) {
    super(null);
    this.read = read;
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    super.deliver(buffer, from, to, outcome);
    read.onReplyPart(buffer, from, to, true);
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    super.answer(reply, outcome);
    read.onNoReply();
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    super.deliverPart(buffer, from, to, last);
    read.onReplyPart(buffer, from, to, last);
  }

  @Override
  public void dropPending() {
    super.dropPending();
    read.onNoReply();
  }
}
