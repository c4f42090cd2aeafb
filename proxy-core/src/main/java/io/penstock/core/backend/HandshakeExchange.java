package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.transport.SocketOutput;

/**
 * One request of a connection's handshake. Its failure is the connection's, which knows already.
 */
final class HandshakeExchange extends Exchange {

  private final BackendConnection connection;
  private final SocketOutput output;

  HandshakeExchange(BackendConnection connection, SocketOutput output) {
    this.connection = connection;
    this.output = output;
    destination(ANY_NODE, protocol(), 0, Long.MAX_VALUE);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    connection.onHandshakeReply(output, Handshake.errorIn(buffer, from, to));
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      connection.onHandshakeReply(output, null);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    // The connection is gone and has said so.
  }
}
