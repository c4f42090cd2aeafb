package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/** The pipeline of a connection to a node: one handler that passes Netty's events on. */
final class BackendPipeline extends ChannelInitializer<Channel> {

  private final LinkListener connection;
  private final BackendContext backend;

  BackendPipeline(LinkListener connection, BackendContext backend) {
    this.connection = connection;
    this.backend = backend;
  }

  @Override
  protected void initChannel(Channel channel) {
    channel.pipeline().addLast(new Handler(connection, backend));
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final LinkListener connection;
    private final BackendContext backend;
    private @Nullable Link link;

    Handler(LinkListener connection, BackendContext backend) {
      this.connection = connection;
      this.backend = backend;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      var made = new Link(context, backend.loop(), backend.pushes());
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
