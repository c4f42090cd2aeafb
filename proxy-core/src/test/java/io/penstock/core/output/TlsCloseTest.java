package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.penstock.testkit.tls.TestAuthority;
import io.penstock.testkit.wire.Wire;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TlsCloseTest {

  private static final TestAuthority AUTHORITY = TestAuthority.create("authority");
  private static final int NO_TIMER = -1;

  private final FullSocket socket = new FullSocket();
  private EmbeddedChannel channel;
  private EmbeddedChannel peer;
  private FlushQueue queue;
  private SocketOutput output;

  /** A socket that accepts no more bytes, from some time on. */
  private static final class FullSocket extends ChannelOutboundHandlerAdapter {

    private final Queue<ChannelPromise> pending = new ArrayDeque<>();
    private boolean full;

    void fill() {
      full = true;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      if (full) {
        ReferenceCountUtil.release(message);
        pending.add(promise);
      } else {
        context.write(message, promise);
      }
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      context.close(promise);
      pending.forEach(write -> write.tryFailure(new ClosedChannelException()));
    }
  }

  @BeforeEach
  void connect() throws Exception {
    SslHandler served =
        SslContextBuilder.forServer(AUTHORITY.issue("listener").toKeyManagerFactory())
            .build()
            .newHandler(ByteBufAllocator.DEFAULT);
    SslHandler connecting =
        SslContextBuilder.forClient()
            .trustManager(AUTHORITY.trust())
            .build()
            .newHandler(ByteBufAllocator.DEFAULT, "localhost", 1);
    channel =
        new EmbeddedChannel(socket, TlsClose.HANDLER, served, new ChannelInboundHandlerAdapter());
    peer = new EmbeddedChannel(connecting);
    exchange();
    assertThat(served.handshakeFuture().isSuccess()).isTrue();
    queue = new FlushQueue(channel.eventLoop());
    output = new SocketOutput(channel.pipeline().lastContext(), queue);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
    peer.finishAndReleaseAll();
    queue.close();
  }

  /** Passes bytes on until neither side has any. */
  private void exchange() {
    boolean moved = true;
    while (moved) {
      moved = pass(channel, peer);
      moved |= pass(peer, channel);
    }
  }

  private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    boolean any = false;
    for (ByteBuf bytes = from.readOutbound(); bytes != null; bytes = from.readOutbound()) {
      if (to.isOpen()) {
        to.writeInbound(bytes);
        any = true;
      } else {
        bytes.release();
      }
    }
    return any;
  }

  private boolean peerSawTheEnd() {
    return peer.pipeline().get(SslHandler.class).sslCloseFuture().isSuccess();
  }

  @Test
  void aPeerThatReadsGetsTheEndOfTls() {
    output.closeAndDiscard();
    exchange();

    assertThat(channel.isOpen()).isFalse();
    assertThat(peerSawTheEnd()).isTrue();
  }

  @Test
  void aPeerThatDoesNotReadIsDisconnectedWithoutWaiting() {
    ByteBuf large = Wire.buffer("x".repeat(SocketOutput.SLICE_THRESHOLD));
    socket.fill();
    output.appendOwned(large);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isTrue();

    output.closeAndDiscard();
    channel.runPendingTasks();

    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
    assertThat(large.refCnt()).isZero();
  }

  @Test
  void aCloseThatWaitsForAPeerIsEnded() {
    socket.fill();
    channel.pipeline().lastContext().close();
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isTrue();

    output.closeAndDiscard();
    channel.runPendingTasks();

    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(NO_TIMER);
  }

  @Test
  void theChannelIsClosedAfterTheReadThatClosesIt() {
    var openAfterClose = new ArrayDeque<Boolean>();
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                ReferenceCountUtil.release(message);
                output.closeAndDiscard();
                openAfterClose.add(context.channel().isOpen());
              }
            });

    peer.writeOutbound(Wire.buffer("PING\r\n"));
    exchange();

    assertThat(openAfterClose).containsExactly(true);
    assertThat(channel.isOpen()).isFalse();
    assertThat(peerSawTheEnd()).isTrue();
  }
}
