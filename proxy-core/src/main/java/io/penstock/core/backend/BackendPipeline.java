package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.output.ProxyHeaderSender;
import io.penstock.core.output.TlsClose;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.TlsFailure;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of a connection to a node: one handler that passes Netty's events on. Before it come
 * the handler of TLS, if the node has it, and before that one what sends the header of the PROXY
 * protocol, if the node wants it. The node is connected when the header is written and the
 * handshake of TLS has succeeded.
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
    NodeTransport transport = node.access().transport();
    HAProxyProtocolVersion header = transport.proxyProtocol();
    if (header != null) {
      channel.pipeline().addLast(ProxyHeaderSender.handlers(header));
    }
    NodeTls tls = transport.tls();
    if (tls != null) {
      channel
          .pipeline()
          .addLast(
              TlsClose.HANDLER,
              tls.newHandler(
                  channel.alloc(), node.host(), node.port(), backend.settings().connectTimeout()));
    }
    channel.pipeline().addLast(new Handler(connection, backend, node));
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final LinkListener connection;
    private final BackendContext backend;
    private final Endpoint node;
    private final NodeTransport transport;
    private @Nullable Link link;
    private boolean failed; // before there was a link

    Handler(LinkListener connection, BackendContext backend, Endpoint node) {
      this.connection = connection;
      this.backend = backend;
      this.node = node;
      this.transport = node.access().transport();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (transport.tls() == null) {
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
        fail(context, TlsFailure.reason(handshake.cause()));
      }
    }

    private void fail(ChannelHandlerContext context, String reason) {
      if (!failed) {
        failed = true;
        context.close();
        connection.onConnectFailed(new BackendException(transport.explain(reason)));
      }
    }

    private void connected(ChannelHandlerContext context) {
      var made = link(context);
      if (made == null) {
        return;
      }
      link = made;
      connection.onConnected(made);
    }

    private @Nullable Link link(ChannelHandlerContext context) {
      try {
        PushSink pushes = backend.pushes().open(node);
        return new Link(context, backend.loop(), pushes, connection.counters());
      } catch (RuntimeException e) { // else nobody would know that there is no connection
        fail(context, String.valueOf(e.getMessage()));
        return null;
      }
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
      } else {
        fail(context, "the node closed the connection"); // before the header was written
      }
    }

    private Throwable explained(Throwable cause) {
      return transport.proxyProtocol() != null && cause instanceof IOException
          ? new BackendException(transport.explain(String.valueOf(cause.getMessage())))
          : cause;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (link != null) {
        connection.onException(link, explained(cause));
      }
    }
  }
}
