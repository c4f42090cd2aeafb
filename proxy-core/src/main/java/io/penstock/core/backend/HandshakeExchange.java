package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/**
 * One request of a connection's handshake. Its failure is the connection's, which knows already.
 */
final class HandshakeExchange extends Exchange {

  private final LinkListener connection;
  private final boolean courtesy;

  /**
   * @param courtesy whether the connection is as good without it
   */
  HandshakeExchange(LinkListener connection, boolean courtesy) {
    this.connection = connection;
    this.courtesy = courtesy;
    sendOptions(protocol(), 0, Long.MAX_VALUE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    connection.onHandshakeReply(
        courtesy
            ? Handshake.seriousErrorIn(buffer, from, to)
            : Handshake.errorIn(buffer, from, to));
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      connection.onHandshakeReply(null);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    // The connection is gone and has said so.
  }
}
