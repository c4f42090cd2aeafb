package io.penstock.core.output;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Sends a header of the PROXY protocol as the first bytes of a connection to a node, and leaves the
 * pipeline. It names the two ends of the connection itself: clients share it. The next handlers
 * learn that the channel is active when the header is written, because {@link DirectSend} would
 * overtake it. One for each connection; confined to its event loop.
 */
public final class ProxyHeaderSender extends ChannelInboundHandlerAdapter {

  private final HAProxyProtocolVersion version;

  private ProxyHeaderSender(HAProxyProtocolVersion version) {
    this.version = version;
  }

  /** Returns the first handlers of a new connection's pipeline. */
  public static ChannelHandler[] handlers(HAProxyProtocolVersion version) {
    return new ChannelHandler[] {HAProxyMessageEncoder.INSTANCE, new ProxyHeaderSender(version)};
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context
        .writeAndFlush(header(context.channel()))
        .addListener(written -> {
          if (written.isSuccess()) {
            leave(context);
            context.fireChannelActive();
          } else {
            context.close();
          }
        });
  }

  private void leave(ChannelHandlerContext context) {
    ChannelPipeline pipeline = context.pipeline();
    if (!context.isRemoved()) {
      pipeline.remove(HAProxyMessageEncoder.INSTANCE);
      pipeline.remove(this);
    }
  }

  /**
   * Returns the header, as bytes or for the encoder. It has no addresses if the socket has none;
   * Netty cannot encode that for version 1.
   */
  private Object header(Channel channel) {
    if (channel.localAddress() instanceof InetSocketAddress local
        && channel.remoteAddress() instanceof InetSocketAddress remote) {
      return header(local, remote);
    }
    return version == HAProxyProtocolVersion.V1
        ? Unpooled.wrappedBuffer("PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII))
        : new HAProxyMessage(
            version, HAProxyCommand.LOCAL, HAProxyProxiedProtocol.UNKNOWN, null, null, 0, 0);
  }

  private HAProxyMessage header(InetSocketAddress local, InetSocketAddress remote) {
    InetAddress from = local.getAddress();
    InetAddress to = remote.getAddress();
    boolean ipv4 = from instanceof Inet4Address && to instanceof Inet4Address;
    return new HAProxyMessage(
        version,
        HAProxyCommand.PROXY,
        ipv4 ? HAProxyProxiedProtocol.TCP4 : HAProxyProxiedProtocol.TCP6,
        NetUtil.toAddressString(from),
        NetUtil.toAddressString(to),
        local.getPort(),
        remote.getPort());
  }
}
