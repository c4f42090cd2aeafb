package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.output.Growth;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.subscribe.WaitingSubscribes;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a client has sent and that no request has used yet. An idle client has no buffer.
 * A request that is cut between two reads is moved into a buffer of its own, which grows with the
 * bytes that arrive.
 */
final class Input {

  private static final int MIN_CAPACITY = 512;
  private static final int MAX_PREALLOCATED = 64 * 1024;

  /**
   * A buffer grows for an announced length, but to at most this many times the bytes that have
   * arrived.
   */
  private static final int GROWTH_FACTOR = 16;

  private final RequestScanner scanner;
  private @Nullable SharedBuffer current;
  private boolean ownBuffer; // not the buffer of the latest read
  private long received; // bytes, in all
  private boolean putBack; // the next scan returns the last request again

  Input(RespLimits limits) {
    scanner = new RequestScanner(limits);
  }

  RequestScanner scanner() {
    return scanner;
  }

  RequestFrame frame() {
    return scanner.frame();
  }

  boolean isEmpty() {
    return current == null;
  }

  /** The number of unused bytes. */
  int size() {
    SharedBuffer shared = current;
    return shared == null ? 0 : shared.buffer().writerIndex() - start();
  }

  /** Where the unused bytes begin among all that the client has sent. */
  private long position() {
    return received - size();
  }

  /** Has {@code known} look for requests to subscribe among the unused bytes. */
  void read(WaitingSubscribes known) {
    SharedBuffer shared = current;
    if (shared != null) {
      known.read(shared.buffer(), start(), shared.buffer().writerIndex(), position());
    }
  }

  /** Tells {@code known} which requests were handled. */
  void update(WaitingSubscribes known) {
    known.onHandled(position());
  }

  /** Capacity of the buffer in bytes. */
  int capacity() {
    SharedBuffer shared = current;
    return shared == null ? 0 : shared.buffer().capacity();
  }

  /** Appends bytes; takes ownership of {@code in}. */
  void add(ByteBuf in) {
    received += in.readableBytes();
    SharedBuffer shared = current;
    if (shared == null) {
      current = new SharedBuffer(in);
      ownBuffer = false;
      scanner.reset(in.readerIndex());
      return;
    }
    try {
      int more = in.readableBytes();
      if (!shared.isExclusive() || start() > 0) {
        shared = moveRest(shared, more);
      }
      Growth.ensureRoom(shared.buffer(), more);
      shared.buffer().writeBytes(in);
    } finally {
      in.release();
    }
  }

  /** Scans for the next request. */
  ScanResult scan() {
    if (putBack) {
      putBack = false;
      return ScanResult.REQUEST;
    }
    SharedBuffer shared = current;
    if (shared == null) {
      return ScanResult.INCOMPLETE;
    }
    ScanResult result = scanner.scan(shared.buffer(), shared.buffer().writerIndex());
    if (result == ScanResult.INCOMPLETE) {
      keepRest(shared);
    }
    return result;
  }

  /** The next {@link #scan} returns the last request again. */
  void putBack() {
    putBack = true;
  }

  /** Whether the next {@link #scan} returns the last request again. */
  boolean isPutBack() {
    return putBack;
  }

  /** Returns a share of the buffer that contains the frame; the caller owns it. */
  SharedBuffer shareFrame() {
    SharedBuffer shared = current;
    if (shared != null && shared.buffer() == frame().buffer()) {
      return shared.share();
    }
    return new SharedBuffer(frame().buffer()); // an inline request, which was encoded as an array
  }

  private int start() {
    return putBack && !isInline() ? frame().start() : scanner.start();
  }

  private boolean isInline() {
    SharedBuffer shared = current;
    return shared == null || shared.buffer() != frame().buffer();
  }

  private void keepRest(SharedBuffer shared) {
    int rest = shared.buffer().writerIndex() - start();
    if (rest == 0) {
      current = null;
      shared.release();
      frame().shrink();
    } else if (!shared.isExclusive() || start() > 0 || isWasteful(shared, rest)) {
      int allowed = Math.min(MAX_PREALLOCATED, rest * GROWTH_FACTOR);
      moveRest(shared, Math.min(scanner.missing(shared.buffer().writerIndex()), allowed));
    }
  }

  /**
   * The buffer of a read may be large, and the beginning of a request is kept until its end
   * arrives.
   */
  private boolean isWasteful(SharedBuffer shared, int rest) {
    return !ownBuffer && rest < shared.buffer().capacity() / 2;
  }

  /** Moves the unused bytes to the beginning of an exclusive buffer. */
  private SharedBuffer moveRest(SharedBuffer shared, int more) {
    int from = start();
    int rest = shared.buffer().writerIndex() - from;
    ByteBuf moved =
        ByteBufAllocator.DEFAULT
            .directBuffer(Math.max(MIN_CAPACITY, rest + more), Integer.MAX_VALUE)
            .writeBytes(shared.buffer(), from, rest);
    if (putBack && !isInline()) {
      scanner.rebaseFrame(moved, -from);
    } else {
      scanner.rebase(moved, -from);
    }
    shared.release();
    ownBuffer = true;
    SharedBuffer fresh = new SharedBuffer(moved);
    current = fresh;
    return fresh;
  }

  /** Releases what no request uses. Called periodically. */
  void releaseIdle() {
    if (current == null) {
      frame().shrinkIdle();
    }
  }

  /** Releases everything. */
  void close() {
    SharedBuffer shared = current;
    if (shared != null) {
      current = null;
      shared.release();
    }
  }
}
