package io.penstock.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.TlsFailure;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The whole pipeline of a client connection: one handler that passes Netty's events to the session,
 * or one that waits for a rejected client to close. With the PROXY protocol, its decoder and {@link
 * ProxyHeader} come first, and are removed when they have read the header. With TLS, its handler
 * comes next, and the session begins when the handshake has succeeded.
 */
@ChannelHandler.Sharable
final class ClientPipeline extends ChannelInitializer<Channel> {

  private final Function<EventLoop, SessionLoop> sessionLoops;
  private final Admission admission;
  private final @Nullable ProxyProtocol proxyProtocol;
  private final @Nullable ListenerTls tls;
  private final AtomicInteger rejected = new AtomicInteger(); // clients not closed yet

  ClientPipeline(
      Function<EventLoop, SessionLoop> sessionLoops, Admission admission, AcceptSettings arrivals) {
    this.sessionLoops = sessionLoops;
    this.admission = admission;
    this.proxyProtocol = arrivals.proxyProtocol();
    this.tls = arrivals.tls();
  }

  @Override
  protected void initChannel(Channel channel) {
    if (admission.tryAdmit()) {
      channel.closeFuture().addListener(_ -> admission.clientClosed());
      SessionLoop loop = sessionLoops.apply(channel.eventLoop());
      if (proxyProtocol == null) {
        begin(channel, loop);
      } else {
        expectHeader(channel, loop, proxyProtocol);
      }
    } else if (tls != null) {
      channel.close(); // it would take the error for a broken handshake
    } else {
      RejectedClient reader = RejectedClient.reject(channel, rejected);
      if (reader != null) {
        channel.pipeline().addLast(reader);
      }
    }
  }

  private void expectHeader(Channel channel, SessionLoop loop, ProxyProtocol protocol) {
    SocketAddress peer = channel.remoteAddress();
    if (peer == null) {
      channel.close(); // a health check that has gone already
      return;
    }
    if (!protocol.trusts(peer)) {
      reject(
          channel, loop, CloseReason.PROXY_PROTOCOL, "its address is not in proxy-protocol.from");
      return;
    }
    var outcome =
        new ProxyHeader.Outcome() {
          @Override
          public void accepted(ChannelHandlerContext header, @Nullable InetSocketAddress client) {
            if (client != null) {
              Session.setAddress(channel, client);
            }
            begin(channel, loop);
            header.pipeline().remove(header.handler());
          }

          @Override
          public void rejected(ChannelHandlerContext header, String reason) {
            reject(channel, loop, CloseReason.PROXY_PROTOCOL, reason);
          }
        };
    channel.pipeline().addLast(ProxyHeader.handlers(protocol.timeout(), outcome));
  }

  /** Adds what serves the client, at the end of the pipeline. */
  private void begin(Channel channel, SessionLoop loop) {
    if (tls == null) {
      channel.pipeline().addLast(new Handler(loop));
      return;
    }
    SslHandler encryption = tls.newHandler(channel.alloc());
    channel.pipeline().addLast(encryption, new Handshake(encryption, tls, loop));
  }

  /** Waits for the end of TLS's handshake. TLS reports it once, also if the client closes. */
  private final class Handshake extends ChannelInboundHandlerAdapter {

    private final SslHandler encryption;
    private final ListenerTls tls;
    private final SessionLoop loop;

    Handshake(SslHandler encryption, ListenerTls tls, SessionLoop loop) {
      this.encryption = encryption;
      this.tls = tls;
      this.loop = loop;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          serve(context, new Handler(loop, tls.user(encryption)));
        } else {
          String reason = TlsFailure.reason(handshake.cause());
          reject(context.channel(), loop, CloseReason.TLS, reason);
        }
      } else if (event instanceof ChannelInputShutdownEvent) {
        context.close();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close(); // the event has the cause of a failed handshake
    }
  }

  /** Puts the handler of the session in the place of the one that waited for the handshake. */
  private static void serve(ChannelHandlerContext waited, Handler handler) {
    waited.pipeline().replace(waited.handler(), null, handler);
  }

  private void reject(Channel channel, SessionLoop loop, CloseReason why, String reason) {
    loop.counters().countClose(why);
    admission.logRefused(channel.remoteAddress(), reason);
    if (channel instanceof DuplexChannel socket && channel.isActive()) {
      socket.shutdown(); // with io_uring a close within a read does not reach the client
    }
    channel.close();
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {

    private final SessionLoop loop;
    private final @Nullable String user;
    private @Nullable Session session;

    Handler(SessionLoop loop) {
      this(loop, null);
    }

    /**
     * @param user as which the client is authenticated already, or null
     */
    Handler(SessionLoop loop, @Nullable String user) {
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
}
