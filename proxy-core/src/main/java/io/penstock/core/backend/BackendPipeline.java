package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;

/** The whole pipeline of a connection to a node: one handler that hands Netty's events on. */
final class BackendPipeline extends ChannelInitializer<Channel> {

  private final BackendConnection connection;

  BackendPipeline(BackendConnection connection) {
    this.connection = connection;
  }

  @Override
  protected void initChannel(Channel channel) {
    channel.pipeline().addLast(new Handler(connection));
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final BackendConnection connection;

    Handler(BackendConnection connection) {
      this.connection = connection;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      connection.onConnected(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      connection.onBytes(context.channel(), (ByteBuf) message);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      connection.onWritabilityChanged(context.channel().isWritable());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      connection.onDisconnected(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      connection.onException(context.channel(), cause);
    }
  }
}
