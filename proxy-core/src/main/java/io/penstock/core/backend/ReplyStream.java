package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.observe.Timeline;
import io.penstock.core.output.Growth;
import io.penstock.core.resp.ReplyScanner;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Splits a node's bytes into replies and passes each to the oldest exchange in flight. A reply that
 * is split across reads is joined again, or, if it is large, passed on in parts.
 */
final class ReplyStream {

  /** An incomplete reply of which this much has arrived is passed on in parts. */
  private static final int STREAM_THRESHOLD = 16 * 1024;

  /**
   * Maximum size of an incomplete reply that is buffered and not passed on in parts: a message of
   * the length of Redis's longest string, and its framing.
   */
  private static final int MAX_BUFFERED = 512 * 1024 * 1024 + 64 * 1024;

  private static final String UNEXPECTED = "an unexpected reply";
  private static final String REPLACED = "a late reply after another node took over";
  private static final byte[] MOVED = "-MOVED ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] BUSY = "-BUSY ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ABORTED = "-EXECABORT ".getBytes(StandardCharsets.US_ASCII);

  private final PushSink pushes;
  private final NodeCounters counters;
  private final int maxBuffered;
  private final ReplyScanner scanner = new ReplyScanner();
  private final InFlightRing inFlight = new InFlightRing();
  private @Nullable ByteBuf partial; // the beginning of an incomplete reply
  private boolean streaming; // parts of the oldest exchange's reply were passed on
  private long expectedReplyBytes; // of pending large replies
  private long streamed; // the share of the reply that is passed on in parts
  private boolean closed;
  private boolean replaced;
  private boolean busy; // an error said that the node runs a script
  private long earliestDeadline = Long.MAX_VALUE; // no exchange in flight has an earlier one

  ReplyStream(PushSink pushes, NodeCounters counters) {
    this(pushes, counters, MAX_BUFFERED);
  }

  ReplyStream(PushSink pushes, NodeCounters counters, int maxBuffered) {
    this.pushes = pushes;
    this.counters = counters;
    this.maxBuffered = maxBuffered;
  }

  int inFlight() {
    return inFlight.size();
  }

  /** Expected bytes of the pending large replies; small ones are not counted. */
  long expectedReplyBytes() {
    return expectedReplyBytes;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Another node took over from this one while replies were pending and nothing came. Writes that
   * this node then runs are lost, although it answers with success, until it learns about the
   * takeover itself. So only error replies are trusted until it sends a redirect.
   */
  void markReplaced() {
    replaced = true;
  }

  /** Returns whether it is a reply and not an error. A push is not a reply. */
  private static boolean isSuccess(byte type) {
    return type != '-' && type != '>';
  }

  /** Returns whether the reply must not be trusted because the node was replaced. */
  private boolean isUntrusted(ByteBuf bytes, int start, int end) {
    if (bytes.getByte(start) != '-') {
      return isSuccess(bytes.getByte(start));
    }
    if (inFlight.size() <= 1) {
      replaced = false; // no reply is pending any more
    } else if (startsWith(MOVED, bytes, start, end)) {
      replaced = false; // it knows about the takeover
    }
    return false;
  }

  private static boolean startsWith(byte[] prefix, ByteBuf bytes, int start, int end) {
    return end - start > prefix.length
        && ByteBufUtil.equals(bytes, start, Unpooled.wrappedBuffer(prefix), 0, prefix.length);
  }

  /**
   * Returns whether the node may have been busy with a script since the last call, according to an
   * error. That of {@code EXEC} may have another reason.
   */
  boolean takeBusy() {
    boolean taken = busy;
    busy = false;
    return taken;
  }

  private void noteBusy(ByteBuf error, int start, int end) {
    busy |= startsWith(BUSY, error, start, end) || startsWith(ABORTED, error, start, end);
  }

  /** Adds {@code exchange} to those in flight. */
  void onSent(Exchange exchange) {
    inFlight.add(exchange);
    expectedReplyBytes += exchange.expectedReplyBytes();
    earliestDeadline = Math.min(earliestDeadline, exchange.deadline());
  }

  /**
   * Handles bytes from the node. Takes ownership of {@code in}.
   *
   * @return null, or a description of the protocol error, after which the connection must be closed
   */
  @Nullable String onBytes(ByteBuf in) {
    ByteBuf bytes = in;
    int scanned = in.readerIndex();
    ByteBuf previous = partial;
    if (previous != null) {
      scanned = previous.writerIndex();
      bytes = join(previous, in);
      partial = null;
    }
    try {
      return deliver(bytes, scanned, bytes == previous);
    } finally {
      bytes.release();
    }
  }

  private static ByteBuf join(ByteBuf previous, ByteBuf in) {
    try {
      Growth.ensureRoom(previous, in.readableBytes());
      return previous.writeBytes(in);
    } finally {
      in.release();
    }
  }

  private @Nullable String deliver(ByteBuf bytes, int scanned, boolean carried) {
    int start = bytes.readerIndex();
    int at = scanned;
    int to = bytes.writerIndex();
    while (at < to && !closed) { // a callback may close the stream
      int end = scanner.scan(bytes, at, to);
      if (end == ReplyScanner.MALFORMED) {
        return "bytes that are not RESP";
      }
      if (end == ReplyScanner.INCOMPLETE) {
        return keepRest(bytes, start, to, carried);
      }
      if (replaced && !streaming && isUntrusted(bytes, start, end)) {
        return REPLACED;
      }
      if (!deliverOne(bytes, start, end)) {
        return UNEXPECTED;
      }
      start = end;
      at = end;
    }
    return null;
  }

  private boolean deliverOne(ByteBuf bytes, int start, int end) {
    if (streaming) {
      streaming = false;
      expectedReplyBytes -= streamed;
      Exchange last = inFlight.poll();
      try {
        last.onReplyPart(bytes, start, end, true);
      } catch (Throwable e) {
        recover(last, e);
      }
      return true;
    }
    byte type = bytes.getByte(start);
    if (type == '>') {
      if (pushes.onPush(oldest(), bytes, start, end) && !inFlight.isEmpty()) {
        takeOldest();
      }
      return true;
    }
    if (type == '-') {
      counters.countErrorReply(bytes, start, end);
      noteBusy(bytes, start, end);
      if (pushes.onError(oldest(), bytes, start, end)) {
        return true;
      }
    }
    if (inFlight.isEmpty()) {
      return false;
    }
    Exchange oldest = takeOldest();
    noteFirstByte(oldest);
    try {
      oldest.onReply(bytes, start, end);
    } catch (Throwable e) {
      recover(oldest, e);
    }
    return true;
  }

  private static void noteFirstByte(Exchange exchange) {
    Timeline timeline = exchange.timeline();
    if (timeline != null) {
      timeline.onFirstByte(System.nanoTime());
    }
  }

  private @Nullable Exchange oldest() {
    return inFlight.isEmpty() ? null : inFlight.first();
  }

  private Exchange takeOldest() {
    Exchange oldest = inFlight.poll();
    expectedReplyBytes -= oldest.expectedReplyBytes();
    return oldest;
  }

  /**
   * Handles an exception of a callback. The end of the reply is known in any case, so the replies
   * of other exchanges need not be lost.
   */
  private static void recover(Exchange exchange, Throwable defect) {
    if (!exchange.recoverFrom(defect)) {
      throw new IllegalStateException("a reply could not be handled", defect);
    }
  }

  /** Returns null, or a description of the protocol error. */
  private @Nullable String keepRest(ByteBuf bytes, int start, int to, boolean carried) {
    if (!streaming && isUnexpected(bytes.getByte(start))) {
      return UNEXPECTED; // without waiting for the rest
    }
    if (replaced && !streaming && isSuccess(bytes.getByte(start))) {
      return REPLACED; // before a part of it is passed on
    }
    int length = to - start;
    if (!streaming && length >= STREAM_THRESHOLD && isStreamable(bytes.getByte(start))) {
      streaming = true;
      streamed = Math.max(inFlight.first().expectedReplyBytes(), announced(bytes, start, to));
      expectedReplyBytes += streamed - inFlight.first().expectedReplyBytes();
      noteFirstByte(inFlight.first());
    }
    if (streaming) {
      if (length > 0) {
        passOn(inFlight.first(), bytes, start, to);
      }
      return null;
    }
    if (length > maxBuffered) {
      return "a reply that is too long to be buffered";
    }
    if (carried && start == bytes.readerIndex()) {
      partial = bytes.retain(); // copying it with each read would take quadratic time
      return null;
    }
    partial =
        ByteBufAllocator.DEFAULT
            .directBuffer(Math.max(256, length * 2))
            .writeBytes(bytes, start, length);
    return null;
  }

  /** Length of the string that begins at {@code start}; 0 for other types. */
  private static long announced(ByteBuf bytes, int start, int to) {
    long length = 0;
    if (bytes.getByte(start) == '$') {
      for (int i = start + 1; i < to && bytes.getByte(i) != '\r'; i++) {
        length = length * 10 + bytes.getByte(i) - '0';
      }
    }
    return length;
  }

  private boolean isUnexpected(byte type) {
    boolean isForSink = type == '>' || (type == '-' && pushes.mayOwnErrors());
    return inFlight.isEmpty() && !isForSink;
  }

  private void passOn(Exchange exchange, ByteBuf bytes, int start, int to) {
    try {
      exchange.onReplyPart(bytes, start, to, false);
    } catch (Throwable e) {
      inFlight.replace(0, DiscardingExchange.INSTANCE);
      recover(exchange, e);
    }
  }

  /** Errors must be read as a whole before they are passed on, and pushes are not replies. */
  private static boolean isStreamable(byte type) {
    return switch (type) {
      case '$', '*', '%', '~', '=' -> true;
      default -> false;
    };
  }

  /**
   * Expires exchanges past their deadline. Their late replies are discarded.
   *
   * @return whether any expired
   */
  boolean expire(long now) {
    if (earliestDeadline - now > 0) {
      return false;
    }
    boolean anyExpired = false;
    earliestDeadline = Long.MAX_VALUE;
    int first = streaming ? 1 : 0;
    for (int i = first; i < inFlight.size(); i++) {
      Exchange exchange = inFlight.at(i);
      if (exchange.deadline() - now <= 0) {
        for (int j = Math.max(first, i - exchange.interimReplyCount()); j <= i; j++) {
          expectedReplyBytes -= inFlight.at(j).expectedReplyBytes();
          inFlight.replace(j, DiscardingExchange.INSTANCE);
        }
        anyExpired = true;
        exchange.fail(Failure.TIMEOUT);
      } else {
        earliestDeadline = Math.min(earliestDeadline, exchange.deadline());
      }
    }
    return anyExpired;
  }

  /** Returns whether exchanges that have not expired are in flight. */
  boolean isAwaited() {
    for (int i = 0; i < inFlight.size(); i++) {
      if (inFlight.at(i) != DiscardingExchange.INSTANCE) {
        return true;
      }
    }
    return false;
  }

  /** The connection is closed: everything in flight fails, oldest first. */
  void close() {
    closed = true;
    try {
      pushes.onClose();
    } finally { // what is in flight must fail in any case
      failAll();
    }
  }

  private void failAll() {
    ByteBuf previous = partial;
    if (previous != null) {
      partial = null;
      previous.release();
    }
    while (!inFlight.isEmpty()) {
      inFlight.poll().fail(Failure.CONNECTION_LOST);
    }
  }
}
