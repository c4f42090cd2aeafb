package io.penstock.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** State that the connections of one event loop share. On that loop, except for {@link #fault}. */
final class BatchThread {

  /** Approximate bytes of a batch while filling. */
  private static final int FILL_BYTES = 16 << 10;

  private final KeyRequests requests;
  private final int pipeline;
  private Histogram latencies = Tally.histogram();
  private long replies;
  private int filled = -1; // keys that were sent; -1 unless filling
  private boolean once;
  private boolean ending;
  private volatile @Nullable String fault;

  BatchThread(KeyRequests requests, int pipeline) {
    this.requests = requests;
    this.pipeline = pipeline;
  }

  /** Makes the connections set every key once and then stop. */
  void fill() {
    filled = 0;
  }

  /** Makes each connection send one batch and then stop. */
  void once() {
    once = true;
  }

  void answered(int count, long nanos) {
    if (count > 0) {
      replies += count;
      Tally.record(latencies, nanos, count);
    }
  }

  /** Sends what comes next on a connection that has nothing outstanding. */
  void next(BatchClient client, ChannelHandlerContext context) {
    if (ending || (once && client.hasSent())) {
      return;
    }
    if (filled == requests.keys()) {
      end();
      context.close();
      return;
    }
    ByteBuf batch = context.alloc().directBuffer();
    if (filled >= 0) {
      int first = filled;
      while (filled < requests.keys() && batch.readableBytes() < FILL_BYTES) {
        requests.writeSet(batch, filled++);
      }
      client.send(context, batch, filled - first);
      return;
    }
    for (int i = 0; i < pipeline; i++) {
      requests.writeAny(batch);
    }
    client.send(context, batch, pipeline);
  }

  /** What was counted since the last call. */
  Tally takeTally() {
    Tally tally = new Tally(latencies, replies);
    latencies = Tally.histogram();
    replies = 0;
    return tally;
  }

  /** Connections that close after this call are not failures. */
  void end() {
    ending = true;
  }

  void lost(String why) {
    if (!ending && fault == null) {
      fault = why;
    }
  }

  /** Returns the first failure; null if there is none. Any thread. */
  @Nullable String fault() {
    return fault;
  }
}
