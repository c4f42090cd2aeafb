package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/**
 * An exchange of the connection's own, or the place of one that nobody waits for any more: its
 * reply is dropped.
 */
final class DiscardingExchange extends Exchange {

  /** Holds the place of a reply that comes too late for anybody. Stateless, so one serves all. */
  static final DiscardingExchange INSTANCE = new DiscardingExchange();

  private DiscardingExchange() {
    sendOptions(protocol(), 0, Long.MAX_VALUE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    // Nobody waits for it.
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    // Nobody waits for it.
  }

  @Override
  public void onFailure(Failure failure) {
    // Nobody waits for it.
  }
}
