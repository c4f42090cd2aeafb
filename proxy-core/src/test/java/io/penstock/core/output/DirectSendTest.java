package io.penstock.core.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.transport.WorkingTransport;
import io.penstock.testkit.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
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

/** Tests which bytes are sent directly, bypassing io_uring, over real sockets. */
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

  /** The side that connected. With io_uring, accepted sockets are blocking ones. */
  enum Side {
    NODE,
    CLIENT
  }

  /** A connection between an output of the loop and a plain socket. */
  private final class Connection {

    private final Counted counted = new Counted();
    private final Channel channel;
    private final SocketOutput output;
    private final Socket peer;

    Connection(Side side) throws Exception {
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
              .serverBootstrap()
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
  void theOnlySocketOfATurnIsWrittenDirectly() throws Exception {
    var connection = new Connection(Side.CLIENT);

    inOneTurn(() -> connection.output.append(Wire.bytes("+OK\r\n")));
    assertThat(connection.receive(5)).isEqualTo(Wire.bytes("+OK\r\n"));
    inOneTurn(() -> connection.output.append(Wire.bytes(":1\r\n")));
    assertThat(connection.receive(4)).isEqualTo(Wire.bytes(":1\r\n"));

    assertThat(connection.counted.writes.get()).isZero();
  }

  @Test
  void severalSocketsOfATurnAreSubmittedTogether() throws Exception {
    var first = new Connection(Side.CLIENT);
    var second = new Connection(Side.CLIENT);

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
  void aLargePieceOfTheSameTurnIsNotOvertaken() throws Exception {
    var connection = new Connection(Side.CLIENT);
    String large = "x".repeat(SocketOutput.SLICE_THRESHOLD);

    inOneTurn(() -> {
      connection.output.appendOwned(Wire.buffer(large));
      connection.output.append(Wire.bytes("end"));
    });

    assertThat(connection.receive(large.length() + 3)).isEqualTo(Wire.bytes(large + "end"));
  }

  @ParameterizedTest
  @EnumSource
  void bytesNotAcceptedAtOnceFollowInOrder(Side side) throws Exception {
    var connection = new Connection(side);
    var sent = new ByteArrayOutputStream();

    for (int turn = 0; turn < 100; turn++) { // 1.6 MB, which the peer does not read yet
      byte[] piece = Wire.bytes(("[" + turn + "]").repeat(16_000).substring(0, 16_000));
      sent.write(piece);
      inOneTurn(() -> connection.output.append(piece));
    }

    assertThat(connection.counted.writes.get()).as("writes to the channel").isPositive();
    assertThat(connection.receive(sent.size())).isEqualTo(sent.toByteArray());
    inOneTurn(() -> connection.output.append(Wire.bytes("end")));
    assertThat(connection.receive(3)).isEqualTo(Wire.bytes("end"));
  }

  @Test
  void aResetByThePeerClosesTheChannel() throws Exception {
    var connection = new Connection(Side.CLIENT);
    connection.peer.setSoLinger(true, 0); // close sends a reset
    connection.peer.close();

    await()
        .atMost(TIMEOUT, TimeUnit.MILLISECONDS)
        .until(() -> {
          inOneTurn(
              () -> connection.output.append(Wire.bytes("+OK\r\n"))); // the first may still succeed
          return !connection.channel.isActive();
        });
  }

  @Test
  void aChannelThatIsClosingSendsNoMore() throws Exception {
    var connection = new Connection(Side.CLIENT);

    inOneTurn(() -> {
      connection.output.append(Wire.bytes("+OK\r\n"));
      connection.channel.close();
    });

    assertThat(connection.peer.getInputStream().readAllBytes()).isEmpty();
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
