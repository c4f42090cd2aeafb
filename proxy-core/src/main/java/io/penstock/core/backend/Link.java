package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.ReadGate;
import io.penstock.core.transport.SocketOutput;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One channel to a node, from its connect to its end: what was sent on it and what it owes. */
final class Link {

  private static final byte[] ASKING = Handshake.encode("ASKING");
  private static final byte[] PING = Handshake.encode("PING");

  /** A node that owes replies and is silent for longer may have failed. */
  private static final long SUSPICIOUS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ChannelHandlerContext context;
  private final Loop loop;
  private final SocketOutput output;
  private final ReplyStream replies;
  private final SilenceTimer silence = new SilenceTimer();
  private boolean silentBefore; // at the last look
  private boolean mute;
  private long muteSince; // if so

  Link(ChannelHandlerContext context, Loop loop, PushSink pushes) {
    this.replies = new ReplyStream(pushes);
    this.context = context;
    this.loop = loop;
    this.output = new SocketOutput(context, loop.flushQueue());
    silence.reset(loop.tick());
  }

  /** Sends the request's bytes with this loop turn's others. */
  void send(Exchange exchange, boolean asking) {
    if (replies.inFlight() == 0) {
      silence.reset(loop.now());
    }
    // All replies before any bytes: if these cannot be written the link fails, and this with it.
    if (asking) {
      replies.onSent(DiscardingExchange.INSTANCE);
    }
    for (int i = exchange.interimReplyCount(); i > 0; i--) {
      replies.onSent(exchange.interimHandler());
    }
    replies.onSent(exchange);
    if (asking) {
      write(ASKING);
      if (replies.isClosed()) {
        return;
      }
    }
    try {
      output.append(exchange.sharedBytes().buffer(), exchange.offset(), exchange.length());
    } catch (Throwable cause) {
      context.pipeline().fireExceptionCaught(cause); // later replies would not be whose they seem
    }
  }

  /** Sends bytes of the connection's own. */
  void send(byte[] request, Exchange exchange) {
    replies.onSent(exchange);
    write(request);
  }

  private void write(byte[] request) {
    try {
      output.append(request);
    } catch (Throwable cause) {
      context.pipeline().fireExceptionCaught(cause);
    }
  }

  /**
   * Takes ownership of {@code in}.
   *
   * @return null, or what is wrong with the bytes: the link is of no more use then
   */
  @Nullable String onBytes(ByteBuf in) {
    silence.reset(loop.tick());
    int bytes = in.readableBytes();
    String problem = replies.onBytes(in);
    heed(loop.readGate(), bytes);
    return problem;
  }

  private void heed(ReadGate gate, int bytes) {
    gate.onRead(bytes);
    if (!gate.isOpen() && context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(false);
      gate.whenOpen(this::readOn);
    }
  }

  private void readOn() {
    if (context.channel().isActive()) {
      context.channel().config().setAutoRead(true);
    }
  }

  boolean isWritable() {
    return context.channel().isWritable();
  }

  int inFlight() {
    return replies.inFlight();
  }

  /** Bytes that the large ones of the replies in flight may have. */
  long expectedReplyBytes() {
    return replies.expectedReplyBytes();
  }

  /** Whether somebody still waits for one of the replies in flight. */
  boolean isAwaited() {
    return replies.isAwaited();
  }

  /** Bytes that the kernel has not taken yet. */
  long unsentBytes() {
    return output.unwrittenBytes();
  }

  /** Bytes sent so far. */
  long bytesSent() {
    return output.appendedBytes();
  }

  /**
   * Ends what is past its deadline.
   *
   * @return whether there was something
   */
  boolean expire(long now) {
    return replies.expire(now);
  }

  /**
   * Looks whether the node owes replies and is silent. Called with each tick.
   *
   * @return whether it was so at the last look, too: a loop that has stood still reads in between
   */
  boolean checkUnresponsive(long now) {
    boolean silent = isSilentFor(SUSPICIOUS_NANOS, now);
    mute = silent && silentBefore;
    muteSince = silence.since();
    silentBefore = silent;
    return mute;
  }

  /** Whether the last look found it so, and nothing has come since. */
  boolean isUnresponsive() {
    return mute && silence.since() == muteSince;
  }

  /** See {@link ReplyStream#markReplaced}. */
  void markReplaced() {
    replies.markReplaced();
  }

  /**
   * Asks a node that owes nothing for a sign of life when none has come for {@code nanos}: a host
   * or a path that is dead would else be noticed by the next client that needs it. What it answers
   * does not matter.
   */
  void pingIfIdle(long nanos, long now) {
    if (replies.inFlight() == 0 && silence.elapsed(output, now) > nanos) {
      silence.reset(now); // its answer counts as of the question
      send(PING, DiscardingExchange.INSTANCE);
    }
  }

  /** Whether replies have been owed without a sign of life for longer than {@code nanos}. */
  boolean isSilentFor(long nanos, long now) {
    return replies.inFlight() > 0 && silence.elapsed(output, now) > nanos;
  }

  /** Everything in flight fails, oldest first. */
  void failInFlight() {
    replies.close();
  }

  void closeChannel() {
    context.close();
  }
}
