package io.penstock.core.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.client.Client;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.SubscriberCounts;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.spec.Merge;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites the counts in a merged {@code PUBSUB} reply: nodes count Penstock's connections, the
 * client gets numbers of clients. Takes the merged reply in pieces.
 */
final class PubsubCountRewriter {

  private final ReplySlot whole;
  private final Client client;
  private final Merge counted;
  private final SubscriberCounts subscriberCounts;
  private final ByteBuf merged = ByteBufAllocator.DEFAULT.directBuffer();
  private final ReplyScanner scanner = new ReplyScanner();
  private @Nullable ByteBuf rewritten; // the rewritten reply, as far as it is written
  private int at; // index in merged behind what was read

  PubsubCountRewriter(ReplySlot whole, Merge counted, Client client, Hub hub) {
    this.whole = whole;
    this.client = client;
    this.counted = counted;
    this.subscriberCounts = hub.subscriberCounts();
  }

  /** Adds the next piece, which is borrowed. */
  void add(ByteBuf buffer, int from, int to) {
    merged.writeBytes(buffer, from, to - from);
  }

  /**
   * Rewrites up to {@code most} counts, and delivers the reply once all are rewritten. Called when
   * the merged reply is complete.
   *
   * @return false if counts are left for the next call
   */
  boolean deliver(Outcome outcome, int most) {
    if (outcome != Outcome.OK || client.isClosed()) {
      deliver(merged, outcome);
      release();
      return true;
    }
    ByteBuf out = rewritten == null ? begin() : rewritten;
    for (int i = 0; i < most && at < merged.writerIndex(); i++) {
      count(out);
    }
    if (at < merged.writerIndex()) {
      return false;
    }
    deliver(out, outcome);
    release();
    return true;
  }

  private void deliver(ByteBuf reply, Outcome outcome) {
    whole.deliver(reply, reply.readerIndex(), reply.writerIndex(), outcome);
  }

  /** Releases the buffers. */
  void release() {
    merged.release();
    ByteBuf out = rewritten;
    if (out != null) {
      out.release();
    }
  }

  private ByteBuf begin() {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer();
    rewritten = out;
    if (counted == Merge.SUBSCRIBERS || counted == Merge.SHARD_SUBSCRIBERS) {
      at = lineEnd(0);
      out.writeBytes(merged, 0, at);
    }
    return out;
  }

  /**
   * Rewrites one count: the whole reply, or the count of one name in an array of names and counts.
   */
  private void count(ByteBuf out) {
    var writer = new ReplyWriter(out, Protocol.RESP2);
    switch (counted) {
      case SUBSCRIBERS -> subscribers(Kind.CHANNEL, out, writer);
      case SHARD_SUBSCRIBERS -> subscribers(Kind.SHARD, out, writer);
      default -> {
        writer.integer(subscriberCounts.patterns(number(at)));
        at = lineEnd(at);
      }
    }
  }

  private void subscribers(Kind kind, ByteBuf out, ReplyWriter writer) {
    int nameAt = lineEnd(at);
    int end = scanner.scan(merged, at, merged.writerIndex());
    Name name = Name.copy(merged, nameAt, end - 2 - nameAt);
    out.writeBytes(merged, at, end - at);
    writer.integer(subscriberCounts.subscribers(kind, name, number(end)));
    at = lineEnd(end);
  }

  private int lineEnd(int at) {
    return merged.indexOf(at, merged.writerIndex(), (byte) '\n') + 1;
  }

  /** Returns the integer in the line at {@code at}. */
  private long number(int at) {
    int length = lineEnd(at) - 2 - (at + 1);
    return Long.parseLong(merged.toString(at + 1, length, StandardCharsets.US_ASCII));
  }
}
