package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** The whole pipeline of a connection to a node: one handler that hands Netty's events on. */
final class BackendPipeline extends ChannelInitializer<Channel> {

  private final LinkListener connection;
  private final BackendContext site;

  BackendPipeline(LinkListener connection, BackendContext site) {
    this.connection = connection;
    this.site = site;
  }

  @Override
  protected void initChannel(Channel channel) {
    channel.pipeline().addLast(new Handler(connection, site));
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final LinkListener connection;
    private final BackendContext site;
    private @Nullable Link link;

    Handler(LinkListener connection, BackendContext site) {
      this.connection = connection;
      this.site = site;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      var made = new Link(context, site.loop(), site.pushes());
      link = made;
      connection.onConnected(made);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      Link on = link;
      if (on == null) {
        ReferenceCountUtil.release(message);
      } else {
        connection.onBytes(on, (ByteBuf) message);
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      connection.onWritabilityChanged(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (link != null) {
        connection.onDisconnected(link);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (link != null) {
        connection.onException(link, cause);
      }
    }
  }
}
