package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/**
 * An exchange whose reply is discarded: one of the connection's own, or the substitute of an
 * exchange that has expired.
 */
final class DiscardingExchange extends Exchange {

  /** Stateless, so one instance is enough. */
  static final DiscardingExchange INSTANCE = new DiscardingExchange();

  private DiscardingExchange() {
    sendOptions(protocol(), 0, Long.MAX_VALUE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    // Discarded.
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    // Discarded.
  }

  @Override
  public void onFailure(Failure failure) {
    // Discarded.
  }
}
