package io.penstock.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The whole pipeline of a client connection: one handler that passes Netty's events to the session,
 * or one that waits for a rejected client to close.
 */
@ChannelHandler.Sharable
final class ClientPipeline extends ChannelInitializer<Channel> {

  private final Function<EventLoop, SessionLoop> sessionLoops;
  private final Admission admission;
  private final AtomicInteger rejected = new AtomicInteger(); // clients not closed yet

  ClientPipeline(Function<EventLoop, SessionLoop> sessionLoops, Admission admission) {
    this.sessionLoops = sessionLoops;
    this.admission = admission;
  }

  @Override
  protected void initChannel(Channel channel) {
    if (admission.tryAdmit()) {
      channel.closeFuture().addListener(_ -> admission.clientClosed());
      channel.pipeline().addLast(new Handler(sessionLoops.apply(channel.eventLoop())));
    } else {
      RejectedClient reader = RejectedClient.reject(channel, rejected);
      if (reader != null) {
        channel.pipeline().addLast(reader);
      }
    }
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final SessionLoop loop;
    private @Nullable Session session;

    Handler(SessionLoop loop) {
      this.loop = loop;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      session = new Session(loop, context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (session != null) {
        session.onBytes((ByteBuf) message);
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (session != null && event instanceof ChannelInputShutdownEvent) {
        session.onInputEnded();
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
}
