package io.penstock.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import org.jspecify.annotations.Nullable;

/** Passes Netty's events about a client to its session. Confined to the client's loop. */
final class RespHandler extends ChannelInboundHandlerAdapter {

  private final SessionLoop loop;
  private final @Nullable String user;
  private @Nullable Session session;

  /**
   * @param user as which the client is authenticated already, or null
   */
  RespHandler(SessionLoop loop, @Nullable String user) {
    this.loop = loop;
    this.user = user;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    var made = new Session(loop, context);
    session = made;
    if (user != null) {
      made.authenticateAs(user);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (session != null) {
      session.onBytes((ByteBuf) message);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (session == null) {
      return;
    }
    if (event instanceof ChannelInputShutdownEvent) {
      session.onInputEnded();
    } else if (event instanceof SslCloseCompletionEvent) {
      session.closeNow("the client has ended TLS"); // which ends both directions
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (session != null) {
      session.onWritabilityChanged();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (session != null) {
      session.onClosed();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (session != null) {
      session.closeNow(cause.toString());
    }
  }
}
