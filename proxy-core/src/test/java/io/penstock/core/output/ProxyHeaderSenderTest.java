package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProxyHeaderSenderTest {

  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

  private final StringBuilder events = new StringBuilder();

  /** A connection with these ends, and a handler that sends a request when it is active. */
  private EmbeddedChannel connection(
      HAProxyProtocolVersion version, @Nullable SocketAddress local, @Nullable SocketAddress peer) {
    var next =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelActive(ChannelHandlerContext context) {
            events.append("active ");
          }

          @Override
          public void channelInactive(ChannelHandlerContext context) {
            events.append("inactive ");
          }
        };
    var channel =
        new EmbeddedChannel(false, false) {
          @Override
          protected @Nullable SocketAddress localAddress0() {
            return local;
          }

          @Override
          protected @Nullable SocketAddress remoteAddress0() {
            return peer;
          }
        };
    channel.pipeline().addLast(ProxyHeaderSender.handlers(version));
    channel.pipeline().addLast(next);
    return channel;
  }

  private static byte[] sent(EmbeddedChannel channel) throws Exception {
    channel.register();
    ByteBuf header = channel.readOutbound();
    try {
      return ByteBufUtil.getBytes(header);
    } finally {
      header.release();
    }
  }

  private static String line(EmbeddedChannel channel) throws Exception {
    return new String(sent(channel), StandardCharsets.US_ASCII);
  }

  private static String hex(EmbeddedChannel channel) throws Exception {
    return ByteBufUtil.hexDump(sent(channel));
  }

  private static InetSocketAddress at(String host, int port) {
    return new InetSocketAddress(host, port);
  }

  @Test
  void version1NamesBothEnds() throws Exception {
    assertThat(
            line(
                connection(
                    HAProxyProtocolVersion.V1, at("10.0.0.1", 40_000), at("10.0.0.2", 6379))))
        .isEqualTo("PROXY TCP4 10.0.0.1 10.0.0.2 40000 6379\r\n");
    assertThat(line(connection(HAProxyProtocolVersion.V1, at("fd00::1", 65_535), at("fd00::2", 1))))
        .isEqualTo("PROXY TCP6 fd00::1 fd00::2 65535 1\r\n");
  }

  @Test
  void version2NamesBothEnds() throws Exception {
    assertThat(
            hex(
                connection(
                    HAProxyProtocolVersion.V2, at("10.0.0.1", 40_000), at("10.0.0.2", 6379))))
        .isEqualTo(SIGNATURE + "2111000c" + "0a000001" + "0a000002" + "9c40" + "18eb");
    assertThat(hex(connection(HAProxyProtocolVersion.V2, at("fd00::1", 258), at("fd00::2", 1))))
        .isEqualTo(
            SIGNATURE
                + "21210024"
                + "fd000000000000000000000000000001"
                + "fd000000000000000000000000000002"
                + "01020001");
  }

  @Test
  void aSocketWithoutAddressesSendsNone() throws Exception {
    assertThat(line(connection(HAProxyProtocolVersion.V1, null, at("10.0.0.2", 1))))
        .isEqualTo("PROXY UNKNOWN\r\n");
    assertThat(hex(connection(HAProxyProtocolVersion.V2, null, null)))
        .isEqualTo(SIGNATURE + "20000000");
  }

  @Test
  void theNextHandlersBeginAfterTheHeader() throws Exception {
    EmbeddedChannel channel =
        connection(HAProxyProtocolVersion.V1, at("10.0.0.1", 1), at("10.0.0.2", 2));
    channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void flush(ChannelHandlerContext context) {
                events.append(events.isEmpty() ? "header " : "flush ");
                context.flush();
              }
            });

    sent(channel);

    assertThat(events).hasToString("header active ");
    assertThat(channel.pipeline().get(ProxyHeaderSender.class)).isNull();
    assertThat(channel.pipeline().names()).noneMatch(name -> name.contains("HAProxy"));
    channel.finishAndReleaseAll();
  }

  @Test
  void aHeaderThatCannotBeWrittenEndsTheConnection() throws Exception {
    EmbeddedChannel channel =
        connection(HAProxyProtocolVersion.V2, at("10.0.0.1", 1), at("10.0.0.2", 2));
    channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void write(
                  ChannelHandlerContext context, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                promise.setFailure(new ClosedChannelException());
              }
            });

    channel.register();
    channel.runPendingTasks();

    assertThat(channel.isOpen()).isFalse();
    assertThat(events).hasToString("inactive ");
  }
}
