package io.penstock.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.fuzz.Oracle;
import io.penstock.core.fuzz.Pieces;
import io.penstock.testkit.network.ParsedHeader;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes what connections of load balancers begin with. The first byte selects where the bytes are
 * split.
 */
public final class HeaderTarget {

  private static final int CONTROL = 1;

  /** Bytes that may be kept: the longest header, twice because the decoder's buffer grows so. */
  private static final int MOST_MEMORY = 2 * 8 * 1024;

  /** A header with addresses only, of version 2, ends here. */
  private static final int PLAIN_TCP4 = 16 + 12;

  private static final int PLAIN_TCP6 = 16 + 36;

  private HeaderTarget() {}

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < CONTROL) {
      return;
    }
    long memory = Pieces.memory();
    byte[] wire = Arrays.copyOfRange(data, CONTROL, data.length);
    var connection = new Connection();
    var pieces = new Pieces(data, CONTROL, data[0]);
    int given = 0;
    while (pieces.hasNext() && connection.channel.isOpen()) {
      ByteBuf piece = pieces.next();
      given += piece.readableBytes();
      connection.channel.writeInbound(piece);
      Oracle.require(
          connection.accepted || Pieces.memory() - memory <= MOST_MEMORY, "too much memory");
    }
    connection.channel.finishAndReleaseAll();
    Oracle.requireSame("memory is leaked", memory, Pieces.memory());
    compare(wire, given, connection);
  }

  private static void compare(byte[] wire, int given, Connection connection) {
    @Nullable ParsedHeader parsed;
    try {
      parsed = ParsedHeader.parse(wire);
    } catch (IllegalArgumentException e) {
      Oracle.require(!connection.accepted, "it is no header: " + e.getMessage());
      return;
    }
    if (parsed == null) {
      Oracle.require(!connection.accepted, "the header is not complete");
    } else if (connection.accepted) {
      Oracle.requireSame("address", parsed.source(), connection.client);
      Oracle.require(
          Arrays.equals(
              wire,
              parsed.length(),
              given,
              connection.session.toByteArray(),
              0,
              session(connection)),
          "the session got other bytes");
    } else {
      Oracle.require(connection.rejected, "a complete header has no outcome");
      Oracle.require(!isPlain(wire, parsed), "a plain header is rejected: " + connection.reason);
    }
  }

  private static int session(Connection connection) {
    return connection.session.size();
  }

  /** Returns whether a balancer writes exactly this for a connection of TCP. */
  private static boolean isPlain(byte[] wire, ParsedHeader parsed) {
    InetSocketAddress source = parsed.source();
    InetSocketAddress destination = parsed.destination();
    if (source == null || destination == null) {
      return false;
    }
    if (parsed.version() == 2) {
      return parsed.length() == (wire[13] == 0x11 ? PLAIN_TCP4 : PLAIN_TCP6);
    }
    boolean ipv4 = source.getAddress().getAddress().length == 4;
    String written =
        "PROXY %s %s %s %d %d\r\n"
            .formatted(
                ipv4 ? "TCP4" : "TCP6",
                source.getAddress().getHostAddress(),
                destination.getAddress().getHostAddress(),
                source.getPort(),
                destination.getPort());
    return written.equals(new String(wire, 0, parsed.length(), StandardCharsets.ISO_8859_1));
  }

  /** What becomes of a connection, as {@link ClientPipeline} would act upon it. */
  private static final class Connection implements ProxyHeader.Outcome {

    final EmbeddedChannel channel = new EmbeddedChannel();
    final ByteArrayOutputStream session = new ByteArrayOutputStream();
    boolean accepted;
    boolean rejected;
    String reason = "";
    @Nullable InetSocketAddress client;

    Connection() {
      channel.pipeline().addLast(ProxyHeader.handlers(Duration.ofMinutes(1), this));
    }

    @Override
    public void accepted(ChannelHandlerContext header, @Nullable InetSocketAddress address) {
      Oracle.require(!accepted && !rejected, "there is another outcome");
      accepted = true;
      client = address;
      channel
          .pipeline()
          .addLast(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                  ByteBuf bytes = (ByteBuf) message;
                  session.writeBytes(ByteBufUtil.getBytes(bytes));
                  bytes.release();
                }
              });
      header.pipeline().remove(header.handler());
    }

    @Override
    public void rejected(ChannelHandlerContext header, String why) {
      Oracle.require(!accepted && !rejected, "there is another outcome");
      rejected = true;
      reason = why;
      channel.close();
    }
  }
}
