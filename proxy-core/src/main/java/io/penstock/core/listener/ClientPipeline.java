package io.penstock.core.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.NetUtil;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.output.TlsClose;
import io.penstock.core.session.ClientAddress;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.TlsFailure;
import io.penstock.core.transport.UnixSockets;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The whole pipeline of a client connection: one handler, which the listener's {@link
 * ClientService} makes, or one that waits for a rejected client to close. With the PROXY protocol,
 * its decoder and {@link ProxyHeader} come first, and are removed when they have read the header.
 * With TLS, its handler comes next, and the service begins when the handshake has succeeded.
 */
@ChannelHandler.Sharable
final class ClientPipeline extends ChannelInitializer<Channel> {

  private final @Nullable String unixSocket;
  private volatile Clients clients;
  private final AtomicInteger rejected = new AtomicInteger(); // and not closed yet

  /**
   * @param unixSocket name of the Unix socket that clients connect to; null for TCP
   */
  ClientPipeline(Clients clients, @Nullable String unixSocket) {
    this.clients = clients;
    this.unixSocket = unixSocket;
  }

  /** Serves clients that connect from now on by other settings, or for another listener. */
  void serve(Clients others) {
    clients = others;
  }

  /** What becomes of clients that connect now. */
  Clients clients() {
    return clients;
  }

  @Override
  protected void initChannel(Channel channel) {
    Clients now = clients;
    if (unixSocket == null) {
      now.group().keepAlive(channel, now.settings().keepAlive());
    } else {
      ClientAddress.setUnixSocket(channel, unixSocket);
    }
    if (now.admission().tryAdmit()) {
      channel.closeFuture().addListener(_ -> now.admission().clientClosed());
      var client = new Client(channel, now.service().on(channel.eventLoop()), now);
      ProxyProtocol proxyProtocol = now.settings().proxyProtocol();
      if (proxyProtocol == null) {
        begin(client);
      } else {
        expectHeader(client, proxyProtocol);
      }
    } else {
      rejectAboveLimit(channel, now);
    }
  }

  private void rejectAboveLimit(Channel channel, Clients now) {
    byte[] line = now.service().rejection();
    if (line == null || now.settings().tls() != null) {
      channel.close(); // with TLS it would take the error for a broken handshake
      return;
    }
    RejectedClient reader = RejectedClient.reject(channel, line, rejected);
    if (reader != null) {
      channel.pipeline().addLast(reader);
    }
  }

  /** A client that is admitted. */
  private record Client(Channel channel, LoopService loop, Clients of) {}

  private void expectHeader(Client client, ProxyProtocol protocol) {
    Channel channel = client.channel();
    SocketAddress peer = channel.remoteAddress();
    if (peer == null) {
      channel.close(); // a health check that has gone already
      return;
    }
    if (!protocol.trusts(peer)) {
      reject(client, CloseReason.PROXY_PROTOCOL, "its address is not in proxy-protocol.from");
      return;
    }
    var outcome =
        new ProxyHeader.Outcome() {
          @Override
          public void accepted(ChannelHandlerContext header, @Nullable InetSocketAddress source) {
            if (source != null) {
              ClientAddress.set(channel, source);
            }
            begin(client);
            header.pipeline().remove(header.handler());
          }

          @Override
          public void rejected(ChannelHandlerContext header, String reason) {
            reject(client, CloseReason.PROXY_PROTOCOL, reason);
          }
        };
    channel.pipeline().addLast(ProxyHeader.handlers(protocol.timeout(), outcome));
  }

  /** Adds what serves the client, at the end of the pipeline. */
  private void begin(Client client) {
    ListenerTls tls = client.of().settings().tls();
    ChannelPipeline pipeline = client.channel().pipeline();
    if (tls == null) {
      pipeline.addLast(client.loop().handler(null));
      return;
    }
    SslHandler encryption = tls.newHandler(client.channel().alloc());
    pipeline.addLast(TlsClose.HANDLER, encryption, new Handshake(encryption, tls, client));
  }

  /**
   * Waits for the end of TLS's handshake. TLS reports it once, also if the client closes. After a
   * failed one it sends its alert and closes.
   */
  private final class Handshake extends ChannelInboundHandlerAdapter {

    private final SslHandler encryption;
    private final ListenerTls tls;
    private final Client client;
    private boolean failed;

    Handshake(SslHandler encryption, ListenerTls tls, Client client) {
      this.encryption = encryption;
      this.tls = tls;
      this.client = client;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          replace(context, client.loop().handler(tls.user(encryption)));
        } else {
          fail(context, handshake.cause());
        }
      } else if (event instanceof ChannelInputShutdownEvent) {
        closeWithoutTls(context);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (!failed) {
        closeWithoutTls(context); // the event will have the cause
      }
    }

    private void fail(ChannelHandlerContext context, Throwable cause) {
      failed = true;
      count(client, CloseReason.TLS, TlsFailure.reason(cause));
      ChannelHandlerContext tls = context.pipeline().context(encryption);
      if (tls != null && !(cause instanceof SslHandshakeTimeoutException)) {
        addBefore(tls, new FailedHandshake(rejected));
      }
    }

    /** There is no session that TLS could end. */
    private void closeWithoutTls(ChannelHandlerContext context) {
      ChannelHandlerContext tls = context.pipeline().context(encryption);
      (tls == null ? context : tls).close();
    }
  }

  /** Puts a handler in the place of another. */
  static void replace(ChannelHandlerContext present, ChannelHandler handler) {
    present.pipeline().replace(present.handler(), null, handler);
  }

  private static void addBefore(ChannelHandlerContext present, ChannelHandler handler) {
    present.pipeline().addBefore(present.name(), null, handler);
  }

  /** Returns the address of a connection for a log line. */
  private String peer(Channel channel) {
    if (unixSocket != null) {
      return UnixSockets.describe(unixSocket, channel);
    }
    SocketAddress client = ClientAddress.of(channel);
    return client instanceof InetSocketAddress address
        ? NetUtil.toSocketAddressString(address)
        : String.valueOf(client);
  }

  private void count(Client client, CloseReason why, String reason) {
    client.loop().countClose(why);
    client.of().admission().logRefused(peer(client.channel()), reason);
  }

  private void reject(Client client, CloseReason why, String reason) {
    Channel channel = client.channel();
    count(client, why, reason);
    if (channel instanceof DuplexChannel socket && channel.isActive()) {
      socket.shutdown(); // with io_uring a close within a read does not reach the client
    }
    channel.close();
  }
}
