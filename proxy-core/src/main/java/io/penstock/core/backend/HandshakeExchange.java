package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;

/**
 * One request of a connection's handshake. Its failure is the connection's, which knows already.
 */
final class HandshakeExchange extends Exchange {

  private final LinkOwner connection;

  HandshakeExchange(LinkOwner connection) {
    this.connection = connection;
    destination(ANY_NODE, protocol(), 0, Long.MAX_VALUE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    connection.onHandshakeReply(Handshake.errorIn(buffer, from, to));
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
