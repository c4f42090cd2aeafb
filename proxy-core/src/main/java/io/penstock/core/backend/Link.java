package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.penstock.core.observe.Timeline;
import io.penstock.core.output.SocketOutput;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.ReadGate;
import io.penstock.core.upstream.Endpoint;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connected channel to a node, with its output and its pending replies. */
public final class Link {

  private static final byte[] ASKING = Handshake.encode("ASKING");
  private static final byte[] PING = Handshake.encode("PING");

  /** A node with pending replies that sends nothing for longer may have failed. */
  private static final long UNRESPONSIVE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ChannelHandlerContext context;
  private final Loop loop;
  private final SocketOutput output;
  private final ReplyStream replies;
  private final SilenceTimer silence = new SilenceTimer();
  private boolean wasSilent; // at the previous check
  private boolean unresponsive;
  private long unresponsiveSince; // if unresponsive
  private boolean answered; // without an error that it runs a script, when bytes came last
  private long answeredAt; // if answered

  Link(ChannelHandlerContext context, Loop loop, PushSink pushes, NodeCounters counters) {
    this.replies = new ReplyStream(pushes, counters);
    this.context = context;
    this.loop = loop;
    this.output = new SocketOutput(context, loop.flushQueue());
    silence.reset(loop.tick());
  }

  /** Sends the request's bytes, together with others of this loop turn. */
  public void send(Exchange exchange, boolean asking) {
    if (replies.inFlight() == 0) {
      silence.reset(loop.now());
    }
    // Register all replies before writing: if a write fails, the link and this exchange fail.
    if (asking) {
      replies.onSent(DiscardingExchange.INSTANCE);
    }
    for (int i = exchange.interimReplyCount(); i > 0; i--) {
      replies.onSent(exchange.interimHandler());
    }
    replies.onSent(exchange);
    Timeline timeline = exchange.timeline();
    Endpoint node = exchange.sentTo();
    if (timeline != null && node != null) {
      timeline.onSent(node, System.nanoTime());
    }
    if (asking) {
      write(ASKING);
      if (replies.isClosed()) {
        return;
      }
    }
    try {
      output.append(exchange.sharedBytes().buffer(), exchange.offset(), exchange.length());
    } catch (Throwable cause) {
      context.pipeline().fireExceptionCaught(cause); // later replies would get the wrong exchange
    }
  }

  /** Sends a request of the connection's own. */
  public void send(byte[] request, Exchange exchange) {
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
   * Handles bytes from the node. Takes ownership of {@code in}.
   *
   * @return null, or a description of the protocol error, after which the link must be closed
   */
  public @Nullable String onBytes(ByteBuf in) {
    long now = loop.tick();
    silence.reset(now);
    int bytes = in.readableBytes();
    String problem = replies.onBytes(in);
    answered = !replies.takeBusy();
    answeredAt = now;
    applyReadGate(loop.readGate(), bytes);
    return problem;
  }

  private void applyReadGate(ReadGate gate, int bytes) {
    gate.onRead(bytes);
    if (!gate.isOpen() && context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(false);
      gate.whenOpen(this::resumeReading);
    }
  }

  private void resumeReading() {
    if (context.channel().isActive()) {
      context.channel().config().setAutoRead(true);
    }
  }

  public boolean isWritable() {
    return context.channel().isWritable();
  }

  public int inFlight() {
    return replies.inFlight();
  }

  /** Expected bytes of the pending large replies. */
  public long expectedReplyBytes() {
    return replies.expectedReplyBytes();
  }

  /** Returns whether exchanges that have not expired are in flight. */
  public boolean isAwaited() {
    return replies.isAwaited();
  }

  /** Bytes that the kernel has not accepted yet. */
  public long unsentBytes() {
    return output.unwrittenBytes();
  }

  /** Bytes sent so far. */
  public long bytesSent() {
    return output.appendedBytes();
  }

  /**
   * Expires exchanges past their deadline.
   *
   * @return whether any expired
   */
  public boolean expire(long now) {
    return replies.expire(now);
  }

  /**
   * Checks whether replies are pending and no data arrives. Called with each tick.
   *
   * @return whether this was so at two checks in a row: after a pause of the whole loop, the loop
   *     reads the sockets between the two
   */
  public boolean checkUnresponsive(long now) {
    boolean silent = isSilentFor(UNRESPONSIVE_NANOS, now);
    unresponsive = silent && wasSilent;
    unresponsiveSince = silence.since();
    wasSilent = silent;
    return unresponsive;
  }

  /** Returns whether it was unresponsive at the latest check and nothing has come since. */
  public boolean isUnresponsive() {
    return unresponsive && silence.since() == unresponsiveSince;
  }

  /** See {@link ReplyStream#markReplaced}. */
  public void markReplaced() {
    replies.markReplaced();
  }

  /**
   * Sends PING if no reply is pending and nothing has come for {@code nanos}. Otherwise only the
   * next client that needs the node would notice a dead host or path. The reply does not matter.
   */
  public void pingIfIdle(long nanos, long now) {
    if (replies.inFlight() == 0 && silence.elapsed(output, now) > nanos) {
      silence.reset(now); // the PING has the full time to be answered
      send(PING, DiscardingExchange.INSTANCE);
    }
  }

  /** Returns whether replies are pending and nothing has come for longer than {@code nanos}. */
  public boolean isSilentFor(long nanos, long now) {
    return replies.inFlight() > 0 && silence.elapsed(output, now) > nanos;
  }

  /** Returns whether bytes have come since {@code time}, and no error that it runs a script. */
  public boolean hasAnsweredSince(long time) {
    return answered && answeredAt - time >= 0;
  }

  /** Everything in flight fails, oldest first. */
  public void failInFlight() {
    replies.close();
  }

  public void closeChannel() {
    output.closeAndDiscard();
  }
}
