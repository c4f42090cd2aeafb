package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that an exchange whose bytes cannot be written fails with the link, once. */
class LinkTest {

  private static final long FAR = System.nanoTime() + TimeUnit.HOURS.toNanos(1);

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final Loop loop = group.loops().getFirst();
  private final List<String> log = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    group.shutdown().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  /** Fails the link on an exception, as the pipeline of a connection does. */
  private static final class Handler extends ChannelInboundHandlerAdapter {

    private @Nullable Link link;

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      Link failed = link;
      if (failed != null) {
        link = null; // a connection handles it once
        failed.failInFlight();
      }
    }
  }

  private Link link(EmbeddedChannel channel) {
    Handler handler = (Handler) channel.pipeline().last();
    Link link = new Link(channel.pipeline().lastContext(), loop, PushSink.NONE, new NodeCounters());
    handler.link = link;
    return link;
  }

  /** An allocator without memory. */
  private static final class Exhausted extends AbstractByteBufAllocator {

    Exhausted() {
      super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initial, int most) {
      throw new OutOfMemoryError("a test's");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initial, int most) {
      throw new OutOfMemoryError("a test's");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  /** Fails all writes. */
  private static final class Closed extends ChannelOutboundHandlerAdapter {

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
      promise.setFailure(new ClosedChannelException());
    }
  }

  @Test
  void anExchangeFailsIfItsBytesCannotBeAllocated() throws Exception {
    var channel = new EmbeddedChannel(new Handler());
    channel.config().setAllocator(new Exhausted());
    Link link = link(channel);

    onLoop(() -> link.send(new TestExchange("a", log, FAR), false));

    assertThat(log).containsExactly("a CONNECTION_LOST");
    assertThat(link.inFlight()).isZero();
  }

  @Test
  void anExchangeFailsIfAskingCannotBeWritten() throws Exception {
    var channel = new EmbeddedChannel(new Closed(), new Handler());
    Link link = link(channel);

    onLoop(() -> {
      for (int i = 0; i < 5; i++) { // leaves a few bytes of the 16 KiB output buffer
        link.send(new byte[3_276], DiscardingExchange.INSTANCE);
      }
      link.send(new TestExchange("a", log, FAR), true);
    });

    assertThat(log).containsExactly("a CONNECTION_LOST");
    assertThat(link.inFlight()).isZero();
  }

  private void onLoop(Runnable work) throws Exception {
    loop.executor().submit(work).get(10, TimeUnit.SECONDS);
  }
}
