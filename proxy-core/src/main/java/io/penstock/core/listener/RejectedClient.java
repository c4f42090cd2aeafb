package io.penstock.core.listener;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundInvoker;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A client above the limit, or one after a failed TLS handshake. It gets Redis's error line, or a
 * TLS alert, and then the end of the stream. Its connection is closed when the client has closed
 * its side: a close before that, with unread bytes of the client, makes the kernel send a reset,
 * which may destroy the line. Only a few such connections are kept at a time, each for a second at
 * most; others are closed at once. Confined to the client's loop, except for the count of all.
 */
final class RejectedClient extends ChannelInboundHandlerAdapter {

  /** Most connections that are kept until their client closes them, on all loops. */
  static final int MOST = 64;

  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Most bytes of a client that are read and discarded. */
  private static final long MOST_BYTES = 64 * 1024;

  private final AtomicInteger all;
  private long bytes;

  private RejectedClient(AtomicInteger all) {
    this.all = all;
  }

  /**
   * Sends the error line and closes the connection, now or soon.
   *
   * @param line the error
   * @param all number of such connections that are open
   * @return the handler that reads from the channel until it is closed; null if none is needed
   */
  static @Nullable RejectedClient reject(Channel channel, byte[] line, AtomicInteger all) {
    return end(channel, channel, Unpooled.wrappedBuffer(line), all);
  }

  /**
   * Writes the last bytes of a connection and closes it, now or soon.
   *
   * @param from what writes and closes: the channel or a handler's context
   * @param last is released
   * @param all see {@link #reject}, as is what is returned
   */
  static @Nullable RejectedClient end(
      Channel channel, ChannelOutboundInvoker from, ByteBuf last, AtomicInteger all) {
    boolean kept = all.incrementAndGet() <= MOST && channel instanceof DuplexChannel;
    if (!kept) {
      all.decrementAndGet();
    }
    from.writeAndFlush(last)
        .addListener(written -> {
          if (kept && written.isSuccess()) {
            ((DuplexChannel) channel).shutdownOutput();
          } else {
            from.close();
          }
        });
    return kept ? new RejectedClient(all) : null;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    Channel channel = context.channel();
    Future<?> timer =
        channel.eventLoop().schedule(() -> context.close(), TIMEOUT_NANOS, TimeUnit.NANOSECONDS);
    channel
        .closeFuture()
        .addListener(_ -> {
          timer.cancel(false);
          all.decrementAndGet();
        });
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    bytes += in.readableBytes();
    in.release();
    if (bytes > MOST_BYTES) {
      context.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
