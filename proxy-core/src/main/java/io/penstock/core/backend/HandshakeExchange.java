package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/** One request of a connection's handshake. */
final class HandshakeExchange extends Exchange {

  private final LinkListener listener;
  private final boolean optional;

  /**
   * @param optional whether the connection can be used without it
   */
  HandshakeExchange(LinkListener listener, boolean optional) {
    this.listener = listener;
    this.optional = optional;
    sendOptions(protocol(), 0, Long.MAX_VALUE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    listener.onHandshakeReply(
        optional
            ? Handshake.seriousErrorIn(buffer, from, to)
            : Handshake.errorIn(buffer, from, to));
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      listener.onHandshakeReply(null);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    // The connection has been notified of the lost connection.
  }
}
