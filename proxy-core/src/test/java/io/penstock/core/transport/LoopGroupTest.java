package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LoopGroupTest {

  @Test
  void autoIsATransportThatWorksHere() throws Exception {
    var group = new LoopGroup(Transport.AUTO, 1);
    try {
      assertThat(group.transport()).isNotEqualTo(Transport.AUTO);
      assertThat(group.transport().unavailability()).isNull();
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void autoSelectsTheNextIfCreatingLoopsFails() throws Exception {
    var scarce = new Scarce(1);
    var tried = new ArrayList<Transport>();
    LoopGroup.Handlers handlers =
        (transport, activeClientsOf) -> {
          tried.add(transport);
          return tried.size() == 1 ? scarce : transport.ioHandlers(activeClientsOf);
        };

    var group =
        new LoopGroup(
            Transport.AUTO.candidates(false), 2, Duration.ZERO, handlers, System::nanoTime);
    try {
      assertThat(tried).hasSize(2).doesNotHaveDuplicates().doesNotContain(Transport.AUTO);
      assertThat(group.transport()).isEqualTo(tried.getLast());
      assertThat(group.loops()).hasSize(2);
      assertThat(scarce.made).hasValue(1);
      assertThat(scarce.destroyed).as("handlers made for the first transport").hasValue(1);
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void aConfiguredTransportThatFailsIsNotReplaced() {
    var scarce = new Scarce(1);

    assertThatThrownBy(() ->
            new LoopGroup(
                    List.of(Transport.NIO), 2, Duration.ZERO, (_, _) -> scarce, System::nanoTime)
                .shutdown())
        .isInstanceOf(UnavailableTransportException.class)
        .hasMessage(
            "transport nio does not work on this machine:"
                + " java.io.IOException: cannot allocate memory");
    assertThat(scarce.destroyed).hasValue(1);
  }

  /** Creates a limited number of handlers, as with a kernel's limit. */
  private static final class Scarce implements IoHandlerFactory {

    private final IoHandlerFactory nio = NioIoHandler.newFactory();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger destroyed = new AtomicInteger();
    private final int limit;

    Scarce(int limit) {
      this.limit = limit;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      if (made.get() == limit) {
        throw new IllegalStateException("no ring", new IOException("cannot allocate memory"));
      }
      made.incrementAndGet();
      return new ForwardingIoHandler(nio.newHandler(executor)) {
        @Override
        public int run(IoHandlerContext context) {
          return io.run(context);
        }

        @Override
        public void destroy() {
          destroyed.incrementAndGet();
          super.destroy();
        }
      };
    }
  }

  @Test
  void transportsAreNamedAsInTheConfiguration() {
    assertThat(Transport.values())
        .extracting(Transport::configName)
        .containsExactly("auto", "io_uring", "epoll", "kqueue", "nio");
  }

  @Test
  void aTransportThatDoesNotWorkHereIsNamedInTheError() {
    Transport missing =
        Transport.KQUEUE.unavailability() != null ? Transport.KQUEUE : Transport.EPOLL;

    assertThatThrownBy(() -> new LoopGroup(missing, 1))
        .isInstanceOf(UnavailableTransportException.class)
        .hasMessageStartingWith(
            "transport " + missing.configName() + " does not work on this machine: ");
  }

  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL"}) // NIO's options have no equals()
  void connectionsToNodesHaveKeepalive(Transport transport) {
    WorkingTransport.assume(transport);
    var group = new LoopGroup(transport, 1);
    try {
      assertThat(group.clientBootstrap(group.loops().getFirst(), 1_000).config().options())
          .containsEntry(ChannelOption.SO_KEEPALIVE, true)
          .containsAllEntriesOf(transport.keepAlive(Duration.ofMinutes(1)));
    } finally {
      group.shutdown();
    }
  }

  @Test
  void loopsAreNumberedAndEachHasItsOwnThread() throws Exception {
    var group = new LoopGroup(Transport.NIO, 2);
    try {
      assertThat(group.loops()).extracting(Loop::index).containsExactly(0, 1);
      Thread first = group.loops().get(0).executor().submit(Thread::currentThread).get();
      Thread second = group.loops().get(1).executor().submit(Thread::currentThread).get();

      assertThat(first).isNotSameAs(second);
      assertThat(first.getName()).startsWith("penstock-loop");
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  /** Otherwise an exchange would wait forever for its reply. */
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
  void aResetDirectlyAfterTheLastBytesIsDetected(Transport transport) throws Exception {
    WorkingTransport.assume(transport);
    var group = new LoopGroup(transport, 1);
    try (var peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (int attempt = 0; attempt < 300; attempt++) { // bytes and reset are seen in varying order
        Channel channel =
            group
                .clientBootstrap(group.loops().getFirst(), 1_000)
                .handler(new Discards())
                .connect(peer.getLocalSocketAddress())
                .sync()
                .channel();
        try (Socket accepted = peer.accept()) {
          accepted.getOutputStream().write(new byte[100]);
          accepted.setSoLinger(true, 0); // close sends a reset
        }
        assertThat(channel.closeFuture().await(10, TimeUnit.SECONDS))
            .as("attempt %d ended", attempt)
            .isTrue();
      }
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  /**
   * Otherwise its handlers would not learn of the end, and io_uring would allocate a buffer for
   * bytes that arrive while the loop is destroyed.
   */
  @ParameterizedTest
  @EnumSource(names = {"IO_URING", "EPOLL", "NIO"})
  void aChannelThatIsStillOpenIsClosedBeforeItsLoopEnds(Transport transport) throws Exception {
    WorkingTransport.assume(transport);
    try (var peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var accepted = new CompletableFuture<Socket>();
      LoopGroup.Handlers handlers =
          (works, activeClientsOf) ->
              ForwardingIoHandler.around(
                  works.ioHandlers(activeClientsOf), (io, _) -> new LateBytes(io, accepted));
      var group = new LoopGroup(List.of(transport), 1, Duration.ZERO, handlers, System::nanoTime);
      var discards = new Discards();
      try {
        group
            .clientBootstrap(group.loops().getFirst(), 1_000)
            .handler(discards)
            .connect(peer.getLocalSocketAddress())
            .sync();
        accepted.complete(peer.accept());
      } finally {
        group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
      }
      accepted.join().close();
      assertThat(discards.inactive).as("told of its end").hasValue(1);
    }
  }

  /** Receives bytes when it is destroyed. */
  private static final class LateBytes extends ForwardingIoHandler {

    private final CompletableFuture<Socket> peer;

    LateBytes(IoHandler io, CompletableFuture<Socket> peer) {
      super(io);
      this.peer = peer;
    }

    @Override
    public int run(IoHandlerContext context) {
      return io.run(context);
    }

    @Override
    public void destroy() {
      try {
        peer.join().getOutputStream().write(new byte[100]);
      } catch (IOException e) {
        // closed, as it should be
      }
      super.destroy();
    }
  }

  private static final class Discards extends SimpleChannelInboundHandler<ByteBuf> {

    private final AtomicInteger inactive = new AtomicInteger();

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      inactive.incrementAndGet();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {}

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  @Test
  void theClockStandsStillBetweenTicks() throws Exception {
    var group = new LoopGroup(Transport.NIO, 1);
    try {
      Loop loop = group.loops().getFirst();
      long before = loop.now();
      long ticked = loop.executor().submit(loop::tick).get();

      assertThat(ticked).isGreaterThanOrEqualTo(before);
      assertThat(loop.executor().submit(loop::now).get()).isEqualTo(ticked);
    } finally {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }
}
