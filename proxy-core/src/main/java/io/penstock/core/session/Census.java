package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.command.Merge;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Audience;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.resp.ReplyWriter;
import java.nio.charset.StandardCharsets;

/**
 * What {@code PUBSUB} counts: nodes count this proxy's connections, and the client is told about
 * clients. Takes the merged reply piece by piece.
 */
final class Census {

  private final Request whole;
  private final Merge counted;
  private final Audience audience;
  private final ByteBuf merged = ByteBufAllocator.DEFAULT.directBuffer();

  Census(Request whole, Merge counted) {
    this.whole = whole;
    this.counted = counted;
    this.audience = whole.session().loop().hub().audience();
  }

  /** The next piece; borrowed. */
  void add(ByteBuf buffer, int from, int to) {
    merged.writeBytes(buffer, from, to - from);
  }

  /** The reply is whole: hands it over with its numbers put right. */
  void deliver(Outcome outcome) {
    if (outcome != Outcome.OK) {
      whole.deliverOwned(merged, outcome);
      return;
    }
    try {
      whole.deliverOwned(LocalAnswer.made(this::write), outcome);
    } finally {
      merged.release();
    }
  }

  private void write(ByteBuf out) {
    switch (counted) {
      case SUBSCRIBERS -> subscribers(Kind.CHANNEL, out);
      case SHARD_SUBSCRIBERS -> subscribers(Kind.SHARD, out);
      default -> new ReplyWriter(out, Protocol.RESP2).integer(audience.patterns(number(0)));
    }
  }

  /** An array of names, each with its number behind it. */
  private void subscribers(Kind kind, ByteBuf out) {
    var scanner = new ReplyScanner();
    var writer = new ReplyWriter(out, Protocol.RESP2);
    int at = lineEnd(0);
    out.writeBytes(merged, 0, at);
    while (at < merged.writerIndex()) {
      int nameAt = lineEnd(at);
      int end = scanner.scan(merged, at, merged.writerIndex());
      Name name = Name.copy(merged, nameAt, end - 2 - nameAt);
      out.writeBytes(merged, at, end - at);
      writer.integer(audience.subscribers(kind, name, number(end)));
      at = lineEnd(end);
    }
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
