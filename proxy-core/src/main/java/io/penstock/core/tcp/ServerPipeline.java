package io.penstock.core.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.control.Outage;
import io.penstock.core.output.TlsClose;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.TlsFailure;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of a connection to a server of a TCP upstream: what sends the PROXY protocol's
 * header, TLS's handler, each if there is one, and one handler that waits until the connection can
 * be used, and makes place for the one that uses it. One for each connection; confined to its loop.
 */
final class ServerPipeline extends ChannelInitializer<Channel> {

  private final Endpoint address;
  private final TcpSettings settings;
  private final @Nullable ByteBuf header;
  private final Outcome outcome;

  /** What becomes of the connection. One of both is called, once. */
  interface Outcome {

    /** The header is written and the handshake has succeeded. Returns the handler that uses it. */
    ChannelHandler connected(Channel server);

    /** It cannot be used; it is closed. */
    void failed(String reason);
  }

  /**
   * @param header of the PROXY protocol, or null; takes ownership
   */
  ServerPipeline(
      Endpoint address, TcpSettings settings, @Nullable ByteBuf header, Outcome outcome) {
    this.address = address;
    this.settings = settings;
    this.header = header;
    this.outcome = outcome;
  }

  @Override
  protected void initChannel(Channel channel) {
    NodeTransport transport = settings.transport();
    if (header != null) {
      channel.pipeline().addLast(new Header(header));
    }
    NodeTls tls = transport.tls();
    if (tls != null) {
      channel
          .pipeline()
          .addLast(
              TlsClose.HANDLER,
              tls.newHandler(
                  channel.alloc(), address.host(), address.port(), settings.connect().timeout()));
    }
    channel.pipeline().addLast(new Connecting(tls != null, transport, outcome));
  }

  /** Writes the header; the next handlers learn then that the channel is active. */
  private static final class Header extends ChannelInboundHandlerAdapter {

    private final ByteBuf header;
    private boolean written;

    Header(ByteBuf header) {
      this.header = header;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      written = true;
      context
          .writeAndFlush(header)
          .addListener(done -> {
            if (done.isSuccess()) {
              context.fireChannelActive();
              if (!context.isRemoved()) {
                context.pipeline().remove(this);
              }
            } else {
              context.close();
            }
          });
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
      if (!written) {
        header.release();
      }
    }
  }

  private static final class Connecting extends ChannelInboundHandlerAdapter {

    private final boolean encrypted;
    private final NodeTransport transport;
    private final Outcome outcome;
    private boolean over;

    Connecting(boolean encrypted, NodeTransport transport, Outcome outcome) {
      this.encrypted = encrypted;
      this.transport = transport;
      this.outcome = outcome;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (!encrypted) {
        connected(context);
      }
    }

    /** TLS reports the end of its handshake once, also if the server closes before. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          connected(context);
        } else {
          fail(context, TlsFailure.reason(handshake.cause()));
        }
      }
    }

    private void connected(ChannelHandlerContext context) {
      if (!over) {
        over = true;
        context.pipeline().replace(this, null, outcome.connected(context.channel()));
      }
    }

    private void fail(ChannelHandlerContext context, String reason) {
      if (!over) {
        over = true;
        context.close();
        outcome.failed(transport.explain(reason));
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message); // nothing is expected before
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      fail(context, "the server closed the connection");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      fail(context, Outage.reason(cause));
    }
  }
}
