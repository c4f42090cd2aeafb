package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Client;
import io.penstock.core.command.Merge;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.resp.ReplyWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What {@code PUBSUB} counts: nodes count this proxy's connections, and the client is told about
 * clients. Takes the merged reply piece by piece.
 */
final class PubsubCountRewriter {

  private final ReplySlot whole;
  private final Client client;
  private final Merge counted;
  private final SubscriberCounts audience;
  private final ByteBuf merged = ByteBufAllocator.DEFAULT.directBuffer();
  private final ReplyScanner scanner = new ReplyScanner();
  private @Nullable ByteBuf counts; // what the client gets, as far as it was written
  private int at; // in merged, behind what was read

  PubsubCountRewriter(ReplySlot whole, Merge counted, Client client, Hub hub) {
    this.whole = whole;
    this.client = client;
    this.counted = counted;
    this.audience = hub.subscriberCounts();
  }

  /** The next piece; borrowed. */
  void add(ByteBuf buffer, int from, int to) {
    merged.writeBytes(buffer, from, to - from);
  }

  /**
   * The reply is whole: hands it over with its numbers put right, so many of them in a call.
   *
   * @return false when some are left for the next call
   */
  boolean deliver(Outcome outcome, int most) {
    if (outcome != Outcome.OK || client.isClosed()) {
      whole.deliverOwned(merged.retain(), outcome);
      release();
      return true;
    }
    ByteBuf out = counts == null ? begin() : counts;
    for (int i = 0; i < most && at < merged.writerIndex(); i++) {
      count(out);
    }
    if (at < merged.writerIndex()) {
      return false;
    }
    whole.deliverOwned(out.retain(), outcome);
    release();
    return true;
  }

  /** Gives the buffers back. */
  void release() {
    merged.release();
    ByteBuf out = counts;
    if (out != null) {
      out.release();
    }
  }

  private ByteBuf begin() {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer();
    counts = out;
    if (counted == Merge.SUBSCRIBERS || counted == Merge.SHARD_SUBSCRIBERS) {
      at = lineEnd(0);
      out.writeBytes(merged, 0, at);
    }
    return out;
  }

  /** A number, or one of an array of names, each with its number behind it. */
  private void count(ByteBuf out) {
    var writer = new ReplyWriter(out, Protocol.RESP2);
    switch (counted) {
      case SUBSCRIBERS -> subscribers(Kind.CHANNEL, out, writer);
      case SHARD_SUBSCRIBERS -> subscribers(Kind.SHARD, out, writer);
      default -> {
        writer.integer(audience.patterns(number(at)));
        at = lineEnd(at);
      }
    }
  }

  private void subscribers(Kind kind, ByteBuf out, ReplyWriter writer) {
    int nameAt = lineEnd(at);
    int end = scanner.scan(merged, at, merged.writerIndex());
    Name name = Name.copy(merged, nameAt, end - 2 - nameAt);
    out.writeBytes(merged, at, end - at);
    writer.integer(audience.subscribers(kind, name, number(end)));
    at = lineEnd(end);
  }

  private int lineEnd(int at) {
    return merged.indexOf(at, merged.writerIndex(), (byte) '\n') + 1;
  }

  /** The integer that the line at {@code at} holds. */
  private long number(int at) {
    int length = lineEnd(at) - 2 - (at + 1);
    return Long.parseLong(merged.toString(at + 1, length, StandardCharsets.US_ASCII));
  }
}
