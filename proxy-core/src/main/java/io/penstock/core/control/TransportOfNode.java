package io.penstock.core.control;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.output.ProxyHeaderSender;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.upstream.NodeTransport;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;

/**
 * Puts the PROXY protocol header and the TLS of the data path below Lettuce's connections, so that
 * both send the same, verify the same and use the same keys. What Lettuce writes waits for the
 * handshake.
 *
 * @param timeout of a handshake
 */
record TransportOfNode(NodeTransport transport, Duration timeout) implements NettyCustomizer {

  @Override
  public void afterChannelInitialized(Channel channel) {
    NodeTls tls = transport.tls();
    if (tls != null) {
      channel.pipeline().addFirst(new Connect(tls));
    }
    HAProxyProtocolVersion header = transport.proxyProtocol();
    if (header != null) {
      channel.pipeline().addFirst(ProxyHeaderSender.handlers(header));
    }
  }

  /** Learns the node's host, or its Unix socket, from the request to connect. */
  private final class Connect extends ChannelOutboundHandlerAdapter {

    private final NodeTls tls;

    Connect(NodeTls tls) {
      this.tls = tls;
    }

    @Override
    public void connect(
        ChannelHandlerContext context,
        SocketAddress remote,
        SocketAddress local,
        ChannelPromise promise) {
      boolean tcp = remote instanceof InetSocketAddress;
      String host = tcp ? ((InetSocketAddress) remote).getHostString() : remote.toString();
      int port = tcp ? ((InetSocketAddress) remote).getPort() : 0;
      context.pipeline().replace(this, null, tls.newHandler(context.alloc(), host, port, timeout));
      context.connect(remote, local, promise);
    }
  }
}
