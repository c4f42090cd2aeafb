package io.penstock.core.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One side of a client's connection to its server, as the last handler of its channel: what it
 * reads is written to the other side. While too many bytes wait to be written there, it is not
 * read. Confined to the loop, which both sides have in common.
 */
final class Side extends ChannelInboundHandlerAdapter {

  /** How long what a closed peer has sent may wait for the other one to read. */
  private static final int LONGEST_STALL_SECONDS = 10;

  private final TcpConnection connection;
  private final Queue<ByteBuf> early = new ArrayDeque<>(); // read before there was another side
  private @Nullable LongAdder bytes; // read from this side
  private @Nullable ChannelHandlerContext context;
  private @Nullable Side other;
  private boolean inputEnded;
  private boolean outputEnded; // or is about to end

  Side(TcpConnection connection) {
    this.connection = connection;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    Channel channel = added.channel();
    int most = connection.settings().bufferSize();
    channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(most / 2, most));
    connection.onAdded(this, channel);
  }

  /** Passes on what it reads from now on, and what it has read before. */
  void connect(Side to, LongAdder counter) {
    other = to;
    bytes = counter;
    for (ByteBuf read = early.poll(); read != null; read = early.poll()) {
      pass(to, counter, read);
    }
    to.flush();
    if (inputEnded) {
      to.endOutput();
    }
    resume(to.isWritable());
  }

  void resume(boolean reads) {
    if (context != null) {
      context.channel().config().setAutoRead(reads);
    }
  }

  private boolean isWritable() {
    return context != null && context.channel().isWritable();
  }

  private void pass(Side to, LongAdder counter, ByteBuf read) {
    counter.add(read.readableBytes());
    to.write(read);
    if (!to.isWritable()) {
      resume(false);
    }
  }

  private void write(ByteBuf message) {
    if (context == null || outputEnded) {
      message.release();
    } else {
      context.write(message, context.voidPromise());
    }
  }

  private void flush() {
    if (context != null) {
      context.flush();
    }
  }

  /** Ends the output once everything is written; the peer may still send. */
  private void endOutput() {
    ChannelHandlerContext on = context;
    if (on == null || outputEnded) {
      return;
    }
    outputEnded = true;
    on.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(_ -> {
          shutdownOutput(on.channel());
          connection.onOutputEnded();
        });
  }

  private static void shutdownOutput(Channel channel) {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (!channel.isActive()) {
      return;
    }
    if (tls != null) {
      tls.closeOutbound(); // TLS's end of the stream; the other direction goes on
    } else if (channel instanceof DuplexChannel socket) {
      socket.shutdownOutput();
    }
  }

  /** Returns whether both directions have ended in order. */
  boolean hasEnded() {
    return inputEnded && outputEnded && pendingBytes() == 0;
  }

  private long pendingBytes() {
    ChannelOutboundBuffer buffer =
        context == null ? null : context.channel().unsafe().outboundBuffer();
    return buffer == null ? 0 : buffer.totalPendingWriteBytes();
  }

  /** Closes the channel, in a task of its own: see {@link io.penstock.core.output.TlsClose}. */
  void close() {
    releaseEarly();
    if (context != null) {
      context.executor().execute(context.channel()::close);
    }
  }

  private void releaseEarly() {
    for (ByteBuf read = early.poll(); read != null; read = early.poll()) {
      read.release();
    }
  }

  /** Closes the channel when everything is written. */
  void closeWhenWritten() {
    if (context == null || !context.channel().isActive()) {
      return;
    }
    outputEnded = true;
    context.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(_ -> close());
    watchRest(context, pendingBytes());
  }

  /** Closes the channel if its peer reads nothing for some time. */
  private void watchRest(ChannelHandlerContext on, long pending) {
    Future<?> watch =
        on.executor()
            .schedule(
                () -> {
                  long now = pendingBytes();
                  if (now < pending) {
                    watchRest(on, now);
                  } else {
                    close();
                  }
                },
                LONGEST_STALL_SECONDS,
                TimeUnit.SECONDS);
    on.channel().closeFuture().addListener(_ -> watch.cancel(false));
  }

  @Override
  public void channelRead(ChannelHandlerContext from, Object message) {
    ByteBuf read = (ByteBuf) message;
    if (other != null && bytes != null) {
      pass(other, bytes, read);
    } else if (connection.isOver()) {
      read.release();
    } else {
      early.add(read);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext from) {
    connection.onActivity();
    if (other != null) {
      other.flush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext from) {
    connection.onActivity();
    if (other != null) {
      other.resume(from.channel().isWritable());
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext from, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      onInputEnded();
    } else if (event instanceof SslCloseCompletionEvent) {
      close(); // the peer has ended TLS, which ends both directions
    }
  }

  private void onInputEnded() {
    if (!inputEnded) {
      inputEnded = true;
      if (other != null) {
        other.endOutput();
        connection.onOutputEnded();
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    releaseEarly();
    connection.onClosed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
    connection.onFailed(this, cause);
  }
}
