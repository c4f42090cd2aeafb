package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.WorkingTransport;
import io.penstock.core.wire.HeldClose;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SocketOutputTest {

  private static final String LARGE = "x".repeat(SocketOutput.SLICE_THRESHOLD);

  private final RecordedWrites writes = new RecordedWrites();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(writes, new ChannelInboundHandlerAdapter());
  private final FlushQueue queue = new FlushQueue(channel.eventLoop());
  private final SocketOutput output = new SocketOutput(channel.pipeline().lastContext(), queue);

  @AfterEach
  void close() {
    channel.close();
    endTurn();
    writes.releaseKept();
    queue.close();
  }

  private void endTurn() {
    channel.runPendingTasks();
  }

  private void append(String text) {
    ByteBuf source = Wire.buffer(text);
    output.append(source, 0, source.readableBytes());
    source.release();
  }

  @Test
  void nothingIsWrittenBeforeTheTurnEnds() {
    append("+OK\r\n");

    assertThat(writes.events()).isEmpty();
  }

  @Test
  void smallPiecesOfATurnAreWrittenTogether() {
    append("+OK\r\n");
    output.append(Wire.bytes(":1\r\n"));
    output.append(Wire.bytes("xx$1\r\na\r\nxx"), 2, 7);
    output.appendOwned(Wire.buffer("*0\r\n"));
    endTurn();

    assertThat(writes.events()).containsExactly("+OK\r\n:1\r\n$1\r\na\r\n*0\r\n", "flush");
    assertThat(output.appendedBytes()).isEqualTo(20);
  }

  @Test
  void nothingIsWrittenAfterCloseAndDiscard() {
    var held = new HeldClose();
    channel.pipeline().addFirst(held);
    writes.keep();
    ByteBuf large = Wire.buffer(LARGE);
    append("before");

    output.closeAndDiscard();
    append("after");
    output.append(large, 0, LARGE.length());
    output.appendOwned(large.retainedSlice());
    for (int i = 0; i < 10; i++) {
      append(LARGE.substring(1));
    }
    endTurn();

    assertThat(channel.isActive()).isTrue();
    assertThat(writes.events()).doesNotContain("flush").noneMatch(event -> event.contains("x"));
    assertThat(large.refCnt()).isEqualTo(1);
    large.release();
    held.letGo();
  }

  @Test
  void eachTurnHasItsOwnWrite() {
    append("a");
    endTurn();
    append("b");
    endTurn();
    endTurn();

    assertThat(writes.events()).containsExactly("a", "flush", "b", "flush");
  }

  @Test
  void largePiecesAreWrittenInOrderWithoutACopy() {
    ByteBuf source = Wire.buffer("[" + LARGE + "]");
    writes.keep();

    append("before");
    output.append(source, 1, LARGE.length());
    append("after");
    assertThat(source.refCnt()).isEqualTo(2);
    endTurn();

    assertThat(writes.events()).containsExactly("before", LARGE, "after", "flush");
    writes.releaseKept();
    assertThat(source.refCnt()).isEqualTo(1);
    source.release();
  }

  @Test
  void aLargePieceAloneIsFlushedToo() {
    output.appendOwned(Wire.buffer(LARGE));
    endTurn();

    assertThat(writes.events()).containsExactly(LARGE, "flush");
  }

  @Test
  void ownedBuffersAreReleasedWhateverTheirSize() {
    ByteBuf empty = Wire.buffer("");
    ByteBuf small = Wire.buffer("small");
    ByteBuf large = Wire.buffer(LARGE);

    output.appendOwned(empty);
    output.appendOwned(small);
    output.appendOwned(large);
    endTurn();

    assertThat(empty.refCnt()).isZero();
    assertThat(small.refCnt()).isZero();
    assertThat(large.refCnt()).isZero();
  }

  @Test
  void longArraysNeedNoSharedBuffer() {
    String text = "y".repeat(FlushQueue.BUFFER_SIZE + 1);
    append("a");
    output.append(Wire.bytes(text));
    append("b");
    endTurn();

    assertThat(writes.events()).containsExactly("a", text, "b", "flush");
  }

  @Test
  void aFullBufferIsFollowedByAnother() {
    String piece = "z".repeat(4_000);
    for (int i = 0; i < 5; i++) {
      append(piece);
    }
    endTurn();

    assertThat(writes.events()).containsExactly(piece.repeat(4), piece, "flush");
    assertThat(output.appendedBytes()).isEqualTo(20_000);
  }

  @Test
  void aBufferWrittenAtOnceIsReused() {
    append("a");
    endTurn();
    append("b");
    endTurn();

    assertThat(writes.buffers().get(1)).isSameAs(writes.buffers().get(0));
  }

  @Test
  void aBufferNotYetWrittenIsNotReused() {
    writes.keep();
    append("a");
    endTurn();
    append("b");
    endTurn();

    assertThat(writes.buffers().get(1)).isNotSameAs(writes.buffers().get(0));
    assertThat(Wire.text(writes.buffers().get(0))).isEqualTo("a");
    assertThat(writes.buffers().get(0).refCnt()).isEqualTo(1);
  }

  @Test
  void aClosedChannelIsNotWrittenTo() {
    channel.close();
    append("a");
    endTurn();

    assertThat(writes.events()).isEmpty();
  }

  @Test
  void theChannelClosesAfterWhatWasAppended() {
    append("-ERR bye\r\n");
    output.closeWhenWritten();
    assertThat(channel.isOpen()).isTrue();
    endTurn();

    assertThat(writes.events()).startsWith("-ERR bye\r\n", "flush");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void theChannelClosesWithNothingAppendedToo() {
    output.closeWhenWritten();
    endTurn();

    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void eachOutputOfATurnIsFlushedOnce() {
    var others = new RecordedWrites();
    var other = new EmbeddedChannel(others, new ChannelInboundHandlerAdapter());
    var second = new SocketOutput(other.pipeline().lastContext(), queue);

    append("a");
    second.append(Wire.bytes("b"));
    append("c");
    endTurn();

    assertThat(writes.events()).containsExactly("ac", "flush");
    assertThat(others.events()).containsExactly("b", "flush");
    other.close();
  }

  @Test
  void bytesAppendedDuringTheFlushAreWrittenInTheSameTurn() {
    var others = new RecordedWrites();
    var other = new EmbeddedChannel(others, new ChannelInboundHandlerAdapter());
    var second = new SocketOutput(other.pipeline().lastContext(), queue);
    var beforeTheNextTask = new ArrayList<>();
    writes.onFlush(() -> {
      channel.eventLoop().execute(() -> beforeTheNextTask.addAll(others.events()));
      second.append(Wire.bytes("b"));
      writes.onFlush(() -> {});
    });

    append("a");
    channel.runPendingTasks();

    assertThat(beforeTheNextTask).containsExactly("b", "flush");
    other.close();
  }

  @Test
  void manySocketsMayBeDirtyAtOnce() {
    SocketOutput[] outputs = new SocketOutput[200];
    for (int i = 0; i < outputs.length; i++) {
      outputs[i] = new SocketOutput(channel.pipeline().lastContext(), queue);
      outputs[i].append(Wire.bytes("<" + i + ">"));
    }
    endTurn();

    assertThat(writes.events()).hasSize(400).contains("<0>", "<199>");
  }

  /** With io_uring, Netty's close within a read does not reach a peer that is being written to. */
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
  void aPeerThatDoesNotReadSeesTheEnd(Transport transport) throws IOException {
    WorkingTransport.assume(transport);
    LoopGroup group = new LoopGroup(transport, 1);
    Loop loop = group.loops().getFirst();
    var sends = new CompletableFuture<SocketOutput>();
    var closed = new CompletableFuture<Void>();
    Channel server =
        group
            .serverBootstrap()
            .childHandler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext context, Object message) {
                    ReferenceCountUtil.release(message);
                    if (sends.isDone()) {
                      sends.join().closeAndDiscard();
                      closed.complete(null);
                    } else {
                      var made = new SocketOutput(context, loop.flushQueue());
                      made.appendOwned(Unpooled.wrappedBuffer(new byte[64 << 20]));
                      sends.complete(made);
                    }
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    try (Socket peer =
        new Socket(
            InetAddress.getLoopbackAddress(),
            ((InetSocketAddress) server.localAddress()).getPort())) {
      peer.setSoTimeout(10_000);
      peer.getOutputStream().write('a');
      await().until(() -> sends.isDone() && onLoop(loop, () -> sends.join().unwrittenBytes()) > 0);
      peer.getOutputStream().write('b');
      await().until(closed::isDone);

      peer.getInputStream().transferTo(OutputStream.nullOutputStream()); // does not time out
      assertThat(onLoop(loop, () -> sends.join().unwrittenBytes())).isZero();
    } finally {
      group.shutdown().toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
    }
  }

  private static long onLoop(Loop loop, Supplier<Long> value) {
    return CompletableFuture.supplyAsync(value, loop.executor())
        .orTimeout(10, TimeUnit.SECONDS)
        .join();
  }
}
