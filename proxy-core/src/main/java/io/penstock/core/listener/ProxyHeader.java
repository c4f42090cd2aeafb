package io.penstock.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.penstock.core.failure.Causes;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the PROXY protocol header that the decoder before it reads, and makes place for the
 * session then. Confined to the client's loop.
 */
final class ProxyHeader extends ChannelInboundHandlerAdapter {

  /** What becomes of a connection. Called once, unless the peer closes it before. */
  interface Outcome {

    /**
     * The header is complete.
     *
     * @param client the address in it; null if it has none: the balancer itself is the client
     */
    void accepted(ChannelHandlerContext context, @Nullable InetSocketAddress client);

    /** There is no valid header. */
    void rejected(ChannelHandlerContext context, String reason);
  }

  /** Most bytes of a header of version 2 after the addresses; balancers use some hundred. */
  private static final int MOST_EXTENSION_BYTES = 4 * 1024;

  private final Duration timeout;
  private final Outcome outcome;
  private @Nullable Future<?> timer;
  private boolean over;

  private ProxyHeader(Duration timeout, Outcome outcome) {
    this.timeout = timeout;
    this.outcome = outcome;
  }

  /**
   * Returns the first handlers of a new connection's pipeline: a decoder, which leaves the pipeline
   * with the header, and this one.
   *
   * @param timeout longest time from now to the end of the header
   */
  static ChannelHandler[] handlers(Duration timeout, Outcome outcome) {
    return new ChannelHandler[] {new Decoder(), new ProxyHeader(timeout, outcome)};
  }

  /**
   * Netty's decoder also accepts spaces at the end of a line with addresses, which no header may
   * have. (Behind {@code UNKNOWN} there may be anything.)
   */
  private static final class Decoder extends HAProxyMessageDecoder {

    private static final int ADDRESSES = "PROXY ".length();
    private static final int LONGEST_LINE = 107;

    Decoder() {
      super(MOST_EXTENSION_BYTES);
    }

    @Override
    protected void callDecode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      if (hasSpaceAtEnd(in)) {
        throw new HAProxyProtocolException("the line ends with a space");
      }
      super.callDecode(context, in, out);
    }

    private static boolean hasSpaceAtEnd(ByteBuf in) {
      int from = in.readerIndex();
      int end = in.indexOf(from, Math.min(in.writerIndex(), from + LONGEST_LINE), (byte) '\r');
      return end - from > ADDRESSES
          && in.getByte(from + ADDRESSES) == 'T'
          && in.getByte(end - 1) == ' ';
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    timer =
        context
            .executor()
            .schedule(
                () -> reject(context, "it has not sent the PROXY protocol header in time"),
                timeout.toNanos(),
                TimeUnit.NANOSECONDS);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    end();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!(message instanceof HAProxyMessage header)) {
      ReferenceCountUtil.release(message); // what the decoder still had after a rejected header
      return;
    }
    InetSocketAddress client;
    try {
      client = source(header);
    } catch (IllegalArgumentException e) {
      reject(context, "its PROXY protocol header is not valid: " + e.getMessage());
      return;
    } finally {
      header.release();
    }
    if (!over) {
      end();
      outcome.accepted(context, client);
    }
  }

  /** Returns the client's address; null if the balancer speaks for itself, or does not know it. */
  private static @Nullable InetSocketAddress source(HAProxyMessage header) {
    HAProxyProxiedProtocol protocol = header.proxiedProtocol();
    if (header.command() == HAProxyCommand.LOCAL || protocol == HAProxyProxiedProtocol.UNKNOWN) {
      return null;
    }
    if (protocol != HAProxyProxiedProtocol.TCP4 && protocol != HAProxyProxiedProtocol.TCP6) {
      throw new IllegalArgumentException("it is of " + protocol + ", not of TCP");
    }
    address("destination", header.destinationAddress());
    return new InetSocketAddress(address("source", header.sourceAddress()), header.sourcePort());
  }

  /** Netty's decoder also lets brackets and scopes pass, which no header may have. */
  private static InetAddress address(String which, String text) {
    boolean plain = text.indexOf('%') < 0 && text.indexOf('[') < 0;
    InetAddress address = plain ? NetUtil.createInetAddressFromIpAddressString(text) : null;
    if (address == null) {
      throw new IllegalArgumentException("its " + which + " is no IP address");
    }
    return address;
  }

  private void end() {
    over = true;
    if (timer != null) {
      timer.cancel(false);
    }
  }

  private void reject(ChannelHandlerContext context, String reason) {
    if (!over) {
      end();
      outcome.rejected(context, reason);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      context.close(); // a health check that only connects
    }
  }

  /** Returns the message of the root cause: that of a wrapper begins with the name of a class. */
  private static String message(Throwable cause) {
    return String.valueOf(Causes.rootOf(cause).getMessage());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof DecoderException) {
      reject(context, "its PROXY protocol header is not valid: " + message(cause));
    } else {
      context.close();
    }
  }
}
