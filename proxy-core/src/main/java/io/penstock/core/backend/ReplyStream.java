package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.transport.Growth;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Turns a node's bytes into replies and gives each to the exchange that waits longest. A reply that
 * is cut between two reads is put together again, or, when it is large, passed on part by part.
 */
final class ReplyStream {

  /** A reply of which this much is there while more is to come is passed on in parts. */
  private static final int STREAM_THRESHOLD = 16 * 1024;

  /**
   * Longest beginning that is kept of what is not passed on in parts: a message as long as Redis's
   * longest string, and what stands around it.
   */
  private static final int MOST_CARRIED = 512 * 1024 * 1024 + 64 * 1024;

  private static final String UNASKED = "a reply that nobody asked for";
  private static final String SUPERSEDED = "a late reply after another node took its place";
  private static final byte[] MOVED = "-MOVED ".getBytes(StandardCharsets.US_ASCII);

  private final PushSink pushes;
  private final int mostCarried;
  private final ReplyScanner scanner = new ReplyScanner();
  private final InFlightRing inFlight = new InFlightRing();
  private @Nullable ByteBuf carry; // the beginning of a reply whose end has not come
  private boolean streaming; // parts of the oldest exchange's reply were passed on
  private long expectedReplyBytes; // bytes of large replies that are to come
  private long streamed; // of which that reply is
  private boolean closed;
  private boolean superseded;
  private long earliestDeadline = Long.MAX_VALUE; // no exchange in flight expires before it

  ReplyStream(PushSink pushes) {
    this(pushes, MOST_CARRIED);
  }

  ReplyStream(PushSink pushes, int mostCarried) {
    this.pushes = pushes;
    this.mostCarried = mostCarried;
  }

  int inFlight() {
    return inFlight.size();
  }

  /** Bytes that all large replies to come may have; of small ones nobody keeps account. */
  long expectedReplyBytes() {
    return expectedReplyBytes;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Another node has taken this one's place while it owed replies and was silent. What it then runs
   * is lost, although it answers as if it were not, until it hears of the other node itself: only
   * errors are believed until it redirects somebody.
   */
  void markReplaced() {
    superseded = true;
  }

  /** Neither an error nor a push, which is no reply. */
  private static boolean isSuccess(byte type) {
    return type != '-' && type != '>';
  }

  /** Whether a reply tells of what a node did that did not know that it was superseded. */
  private boolean isWorthless(ByteBuf bytes, int start, int end) {
    if (bytes.getByte(start) != '-') {
      return isSuccess(bytes.getByte(start));
    }
    if (inFlight.size() <= 1) {
      superseded = false; // it owes nothing more
    } else if (end - start > MOVED.length
        && ByteBufUtil.equals(bytes, start, Unpooled.wrappedBuffer(MOVED), 0, MOVED.length)) {
      superseded = false; // it knows
    }
    return false;
  }

  /** Notes that {@code exchange} was written to the socket. */
  void onSent(Exchange exchange) {
    inFlight.add(exchange);
    expectedReplyBytes += exchange.expectedReplyBytes();
    earliestDeadline = Math.min(earliestDeadline, exchange.deadline());
  }

  /**
   * Takes ownership of {@code in}.
   *
   * @return null, or what is wrong with the bytes: the connection is of no more use then
   */
  @Nullable String onBytes(ByteBuf in) {
    ByteBuf bytes = in;
    int scanned = in.readerIndex();
    ByteBuf begun = carry;
    if (begun != null) {
      scanned = begun.writerIndex();
      bytes = join(begun, in);
      carry = null;
    }
    try {
      return deliver(bytes, scanned, bytes == begun);
    } finally {
      bytes.release();
    }
  }

  private static ByteBuf join(ByteBuf begun, ByteBuf in) {
    try {
      Growth.ensureRoom(begun, in.readableBytes());
      return begun.writeBytes(in);
    } finally {
      in.release();
    }
  }

  private @Nullable String deliver(ByteBuf bytes, int scanned, boolean carried) {
    int start = bytes.readerIndex();
    int at = scanned;
    int to = bytes.writerIndex();
    while (at < to && !closed) { // a callback may close it
      int end = scanner.scan(bytes, at, to);
      if (end == ReplyScanner.MALFORMED) {
        return "bytes that are not RESP";
      }
      if (end == ReplyScanner.INCOMPLETE) {
        return keepRest(bytes, start, to, carried);
      }
      if (superseded && !streaming && isWorthless(bytes, start, end)) {
        return SUPERSEDED;
      }
      if (!deliverOne(bytes, start, end)) {
        return UNASKED;
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
        absorb(last, e);
      }
      return true;
    }
    byte type = bytes.getByte(start);
    if (type == '>') {
      if (pushes.onPush(bytes, start, end) && !inFlight.isEmpty()) {
        next();
      }
      return true;
    }
    if (type == '-' && pushes.onError(bytes, start, end)) {
      return true;
    }
    if (inFlight.isEmpty()) {
      return false;
    }
    Exchange oldest = next();
    try {
      oldest.onReply(bytes, start, end);
    } catch (Throwable e) {
      absorb(oldest, e);
    }
    return true;
  }

  private Exchange next() {
    Exchange oldest = inFlight.poll();
    expectedReplyBytes -= oldest.expectedReplyBytes();
    return oldest;
  }

  /** Where a reply ends is known whatever becomes of it, so others' replies need not be lost. */
  private static void absorb(Exchange exchange, Throwable defect) {
    if (!exchange.recoverFrom(defect)) {
      throw new IllegalStateException("a reply could not be handled", defect);
    }
  }

  /** Answers null, or what is wrong with the bytes. */
  private @Nullable String keepRest(ByteBuf bytes, int start, int to, boolean carried) {
    if (!streaming && isUnasked(bytes.getByte(start))) {
      return UNASKED; // however long it is going to be
    }
    if (superseded && !streaming && isSuccess(bytes.getByte(start))) {
      return SUPERSEDED; // else a part of it would be passed on
    }
    int length = to - start;
    if (!streaming && length >= STREAM_THRESHOLD && isStreamable(bytes.getByte(start))) {
      streaming = true;
      streamed = Math.max(inFlight.first().expectedReplyBytes(), announced(bytes, start, to));
      expectedReplyBytes += streamed - inFlight.first().expectedReplyBytes();
    }
    if (streaming) {
      if (length > 0) {
        passOn(inFlight.first(), bytes, start, to);
      }
      return null;
    }
    if (length > mostCarried) {
      return "a reply that is too long to be kept";
    }
    if (carried && start == bytes.readerIndex()) {
      carry = bytes.retain(); // copied anew with each read it would cost its length squared
      return null;
    }
    carry =
        ByteBufAllocator.DEFAULT
            .directBuffer(Math.max(256, length * 2))
            .writeBytes(bytes, start, length);
    return null;
  }

  /** Bytes of the string that begins there; 0 of what is none. */
  private static long announced(ByteBuf bytes, int start, int to) {
    long length = 0;
    if (bytes.getByte(start) == '$') {
      for (int i = start + 1; i < to && bytes.getByte(i) != '\r'; i++) {
        length = length * 10 + bytes.getByte(i) - '0';
      }
    }
    return length;
  }

  private boolean isUnasked(byte type) {
    boolean isForSink = type == '>' || (type == '-' && pushes != PushSink.NONE);
    return inFlight.isEmpty() && !isForSink;
  }

  private void passOn(Exchange exchange, ByteBuf bytes, int start, int to) {
    try {
      exchange.onReplyPart(bytes, start, to, false);
    } catch (Throwable e) {
      inFlight.replace(0, DiscardingExchange.INSTANCE);
      absorb(exchange, e);
    }
  }

  /** Errors are read before anybody passes them on, and pushes are nobody's reply. */
  private static boolean isStreamable(byte type) {
    return switch (type) {
      case '$', '*', '%', '~', '=' -> true;
      default -> false;
    };
  }

  /**
   * Ends what is past its deadline; late replies are dropped when they come.
   *
   * @return whether there was something
   */
  boolean expire(long now) {
    if (earliestDeadline - now > 0) {
      return false;
    }
    boolean some = false;
    earliestDeadline = Long.MAX_VALUE;
    int first = streaming ? 1 : 0;
    for (int i = first; i < inFlight.size(); i++) {
      Exchange exchange = inFlight.at(i);
      if (exchange.deadline() - now <= 0) {
        for (int j = Math.max(first, i - exchange.interimReplyCount()); j <= i; j++) {
          expectedReplyBytes -= inFlight.at(j).expectedReplyBytes();
          inFlight.replace(j, DiscardingExchange.INSTANCE);
        }
        some = true;
        exchange.fail(Failure.TIMEOUT);
      } else {
        earliestDeadline = Math.min(earliestDeadline, exchange.deadline());
      }
    }
    return some;
  }

  /** Whether somebody still waits for one of the replies that are to come. */
  boolean isAwaited() {
    for (int i = 0; i < inFlight.size(); i++) {
      if (inFlight.at(i) != DiscardingExchange.INSTANCE) {
        return true;
      }
    }
    return false;
  }

  /** The connection ended: everything in flight fails, oldest first. */
  void close() {
    closed = true;
    ByteBuf begun = carry;
    if (begun != null) {
      carry = null;
      begun.release();
    }
    while (!inFlight.isEmpty()) {
      inFlight.poll().fail(Failure.CONNECTION_LOST);
    }
  }
}
