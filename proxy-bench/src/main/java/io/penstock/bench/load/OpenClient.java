package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A connection of an {@link OpenLoad}, whose requests do not wait for one another. */
final class OpenClient extends ChannelInboundHandlerAdapter {

  private static final byte[] REFUSAL = "-OVERLOADED ".getBytes(StandardCharsets.US_ASCII);

  private record Batch(long due, int count) {}

  private final ReplyScanner scanner = new ReplyScanner();
  private final ArrayDeque<Batch> batches = new ArrayDeque<>();
  private final Histogram latencies = Tally.histogram();
  private final double nanosBetween;
  private @Nullable Channel channel;
  private int answered; // of the first batch
  private long carriedOut;
  private long refused;
  private boolean ended;
  private @Nullable String fault;

  /**
   * A connection.
   *
   * @param nanosBetween of requests of one batch: that much later each is due than the one before
   */
  OpenClient(double nanosBetween) {
    this.nanosBetween = nanosBetween;
  }

  void over(Channel connected) {
    channel = connected;
  }

  private Channel channel() {
    return Objects.requireNonNull(channel);
  }

  /** Returns whether the connection can take more now. */
  boolean canTakeMore() {
    return channel().isWritable();
  }

  /**
   * Returns normally if nothing has failed so far.
   *
   * @throws LoadFailure with the first failure
   */
  void check() {
    if (fault != null) {
      throw new LoadFailure(fault);
    }
  }

  ByteBuf buffer() {
    return channel().alloc().directBuffer();
  }

  /** From this call on replies count; requests that were sent before are in flight. */
  void begin() {
    latencies.reset();
    carriedOut = 0;
    refused = 0;
  }

  /**
   * Sends some requests.
   *
   * @param batch ends as the channel's
   * @param due when the first was, from where its latency counts
   */
  void send(ByteBuf batch, int count, long due) {
    batches.add(new Batch(due, count));
    channel().writeAndFlush(batch, channel().voidPromise());
  }

  /** Closes the connection and drops what is not answered. */
  void end() {
    ended = true;
    channel().close();
  }

  Tally carriedOut() {
    return new Tally(latencies, carriedOut);
  }

  long refused() {
    return refused;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    long now = System.nanoTime();
    try {
      int at = bytes.readerIndex();
      int to = bytes.writerIndex();
      while (at < to) {
        if (!scanner.isInsideReply()) {
          begins(bytes, at, now);
        }
        at = scanner.scan(bytes, at, to);
        if (at == ReplyScanner.INCOMPLETE) {
          break;
        }
      }
    } finally {
      bytes.release();
    }
  }

  private void begins(ByteBuf bytes, int at, long now) {
    Batch first = batches.element();
    if (bytes.getByte(at) != '-') {
      carriedOut++;
      long due = first.due() + (long) (answered * nanosBetween);
      Tally.record(latencies, now - due, 1);
    } else if (isOverloaded(bytes, at)) {
      refused++;
    } else {
      fault =
          "an error reply: "
              + bytes.toString(at, bytes.writerIndex() - at, StandardCharsets.US_ASCII);
    }
    if (++answered == first.count()) {
      answered = 0;
      batches.remove();
    }
  }

  /** Decides from the part of the error that has arrived. */
  private static boolean isOverloaded(ByteBuf bytes, int at) {
    int length = Math.min(REFUSAL.length, bytes.writerIndex() - at);
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(at + i) != REFUSAL[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    fails("a connection was closed");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fails(cause.toString());
    context.close();
  }

  private void fails(String how) {
    if (!ended) { // else what was not sent yet is dropped
      fault = how;
    }
  }
}
