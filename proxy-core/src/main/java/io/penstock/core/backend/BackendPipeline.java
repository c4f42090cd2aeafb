package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.TlsFailure;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of a connection to a node: one handler that passes Netty's events on, after TLS's if
 * the node has it. The node is connected when the handshake of TLS has succeeded.
 */
final class BackendPipeline extends ChannelInitializer<Channel> {

  private final LinkListener connection;
  private final BackendContext backend;
  private final Endpoint node;

  BackendPipeline(LinkListener connection, BackendContext backend, Endpoint node) {
    this.connection = connection;
    this.backend = backend;
    this.node = node;
  }

  @Override
  protected void initChannel(Channel channel) {
    NodeTls tls = node.access().tls();
    if (tls != null) {
      channel
          .pipeline()
          .addLast(
              tls.newHandler(
                  channel.alloc(), node.host(), node.port(), backend.settings().connectTimeout()));
    }
    channel.pipeline().addLast(new Handler(connection, backend, tls != null));
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final LinkListener connection;
    private final BackendContext backend;
    private final boolean encrypted;
    private @Nullable Link link;

    Handler(LinkListener connection, BackendContext backend, boolean encrypted) {
      this.connection = connection;
      this.backend = backend;
      this.encrypted = encrypted;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (!encrypted) {
        connected(context);
      }
    }

    /** TLS reports the end of its handshake once, also if the node closes before. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
        return;
      }
      if (handshake.isSuccess()) {
        connected(context);
      } else {
        context.close();
        connection.onConnectFailed(new BackendException(TlsFailure.reason(handshake.cause())));
      }
    }

    private void connected(ChannelHandlerContext context) {
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
