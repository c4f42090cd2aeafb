package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.penstock.testkit.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is sent past io_uring, and what is not, over real sockets. */
class DirectSendTest {

  private static final int TIMEOUT = 10_000; // ms

  private final List<Socket> peers = new ArrayList<>();
  private LoopGroup group;
  private ServerSocket server;

  @BeforeEach
  void start() throws IOException {
    WorkingTransport.assume(Transport.IO_URING);
    group = new LoopGroup(Transport.IO_URING, 1);
    server = new ServerSocket();
    server.setReceiveBufferSize(64 * 1024);
    server.bind(null, 10);
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket peer : peers) {
      peer.close();
    }
    if (server != null) {
      server.close();
    }
    if (group != null) {
      group.shutdown().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }
  }

  /** Who has connected to whom: with io_uring, sockets that were accepted are blocking ones. */
  enum Side {
    NODE,
    CLIENT
  }

  /** One end is an output of the loop, the other a plain socket. */
  private final class Line {

    private final Counted counted = new Counted();
    private final Channel channel;
    private final SocketOutput output;
    private final Socket peer;

    Line(Side side) throws Exception {
      channel = side == Side.NODE ? connected() : accepted();
      channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
      output = new SocketOutput(channel.pipeline().lastContext(), loop().flushQueue());
      peer = peers.getLast();
      peer.setSoTimeout(TIMEOUT);
    }

    private Channel connected() throws Exception {
      Channel near =
          group
              .clientBootstrap(loop(), TIMEOUT)
              .option(ChannelOption.AUTO_READ, false)
              .option(ChannelOption.SO_SNDBUF, 64 * 1024)
              .handler(counted)
              .connect(InetAddress.getLoopbackAddress(), server.getLocalPort())
              .sync()
              .channel();
      peers.add(server.accept());
      return near;
    }

    private Channel accepted() throws Exception {
      var near = new CompletableFuture<Channel>();
      Channel listener =
          group
              .serverBootstrap(Duration.ZERO)
              .childOption(ChannelOption.AUTO_READ, false)
              .childOption(ChannelOption.SO_SNDBUF, 64 * 1024)
              .childHandler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel.pipeline().addLast(counted);
                      near.complete(channel);
                    }
                  })
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      var far = new Socket();
      peers.add(far);
      far.setReceiveBufferSize(64 * 1024);
      far.connect(listener.localAddress());
      listener.close().sync();
      return near.get(TIMEOUT, TimeUnit.MILLISECONDS);
    }

    byte[] receive(int length) throws IOException {
      byte[] bytes = new byte[length];
      new DataInputStream(peer.getInputStream()).readFully(bytes);
      return bytes;
    }
  }

  private Loop loop() {
    return group.loops().getFirst();
  }

  private void inOneTurn(Runnable action) throws Exception {
    loop().executor().submit(action).get(TIMEOUT, TimeUnit.MILLISECONDS);
  }

  @Test
  void whatOneSocketAloneHasToSendGoesPastTheChannel() throws Exception {
    var line = new Line(Side.CLIENT);

    inOneTurn(() -> line.output.append(Wire.bytes("+OK\r\n")));
    assertThat(line.receive(5)).isEqualTo(Wire.bytes("+OK\r\n"));
    inOneTurn(() -> line.output.append(Wire.bytes(":1\r\n")));
    assertThat(line.receive(4)).isEqualTo(Wire.bytes(":1\r\n"));

    assertThat(line.counted.writes.get()).isZero();
  }

  @Test
  void whatSeveralHaveToSendInOneTurnIsSubmittedTogether() throws Exception {
    var first = new Line(Side.CLIENT);
    var second = new Line(Side.CLIENT);

    inOneTurn(() -> {
      first.output.append(Wire.bytes("+1\r\n"));
      second.output.append(Wire.bytes("+2\r\n"));
    });

    assertThat(first.receive(4)).isEqualTo(Wire.bytes("+1\r\n"));
    assertThat(second.receive(4)).isEqualTo(Wire.bytes("+2\r\n"));
    assertThat(first.counted.writes.get()).isOne();
    assertThat(second.counted.writes.get()).isOne();
  }

  @Test
  void nothingOvertakesALargePieceOfTheSameTurn() throws Exception {
    var line = new Line(Side.CLIENT);
    String large = "x".repeat(SocketOutput.SLICE_THRESHOLD);

    inOneTurn(() -> {
      line.output.appendOwned(Wire.buffer(large));
      line.output.append(Wire.bytes("end"));
    });

    assertThat(line.receive(large.length() + 3)).isEqualTo(Wire.bytes(large + "end"));
  }

  @ParameterizedTest
  @EnumSource
  void whatTheKernelDoesNotTakeAtOnceFollowsInOrder(Side side) throws Exception {
    var line = new Line(side);
    var sent = new ByteArrayOutputStream();

    for (int turn = 0; turn < 100; turn++) { // 1.6 MB, which nobody reads yet
      byte[] piece = Wire.bytes(("[" + turn + "]").repeat(16_000).substring(0, 16_000));
      sent.write(piece);
      inOneTurn(() -> line.output.append(piece));
    }

    assertThat(line.counted.writes.get()).as("what did not fit").isPositive();
    assertThat(line.receive(sent.size())).isEqualTo(sent.toByteArray());
    inOneTurn(() -> line.output.append(Wire.bytes("end")));
    assertThat(line.receive(3)).isEqualTo(Wire.bytes("end"));
  }

  @Test
  void aPeerThatIsGoneEndsTheChannel() throws Exception {
    var line = new Line(Side.CLIENT);
    line.peer.setSoLinger(true, 0); // close resets
    line.peer.close();

    await()
        .atMost(TIMEOUT, TimeUnit.MILLISECONDS)
        .until(() -> {
          inOneTurn(() -> line.output.append(Wire.bytes("+OK\r\n"))); // the first may arrive
          return !line.channel.isActive();
        });
  }

  @Test
  void aChannelThatIsClosingSendsNoMore() throws Exception {
    var line = new Line(Side.CLIENT);

    inOneTurn(() -> {
      line.output.append(Wire.bytes("+OK\r\n"));
      line.channel.close();
    });

    assertThat(line.peer.getInputStream().readAllBytes()).isEmpty();
  }

  private static final class Counted extends ChannelOutboundHandlerAdapter {

    private final AtomicInteger writes = new AtomicInteger();

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      writes.incrementAndGet();
      context.write(message, promise);
    }
  }
}
