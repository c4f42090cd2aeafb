package io.penstock.core.control;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.penstock.core.tls.NodeTls;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;

/**
 * Puts the TLS of the data path below Lettuce's connections, so that both verify the same and use
 * the same keys. What Lettuce writes waits for the handshake.
 *
 * @param timeout of a handshake
 */
record TlsOfNode(NodeTls tls, Duration timeout) implements NettyCustomizer {

  @Override
  public void afterChannelInitialized(Channel channel) {
    channel.pipeline().addFirst(new Connect());
  }

  /** Learns the node's host, or its Unix socket, from the request to connect. */
  private final class Connect extends ChannelOutboundHandlerAdapter {

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
