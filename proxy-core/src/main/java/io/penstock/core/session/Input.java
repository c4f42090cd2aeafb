package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.resp.ScanResult;
import io.penstock.core.transport.Growth;
import io.penstock.core.transport.SharedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes a client has sent and that no request has used up yet. An idle client holds no buffer;
 * a request cut between two reads is moved into a buffer of its own that grows with what really
 * arrives.
 */
final class Input {

  private static final int SMALLEST = 512;
  private static final int PREALLOCATED = 64 * 1024;

  /** What is announced counts for room as far as so many times of it has come. */
  private static final int TRUST = 16;

  private final RequestScanner scanner;
  private @Nullable SharedBuffer current;
  private boolean ownBuffer; // not the one that was read into
  private boolean putBack; // the last request found is to be found again

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

  /** Bytes held. */
  int size() {
    SharedBuffer held = current;
    return held == null ? 0 : held.buffer().writerIndex() - start();
  }

  /** Bytes of memory that are held. */
  int capacity() {
    SharedBuffer held = current;
    return held == null ? 0 : held.buffer().capacity();
  }

  /** Takes ownership of {@code in}. */
  void add(ByteBuf in) {
    SharedBuffer held = current;
    if (held == null) {
      current = new SharedBuffer(in);
      ownBuffer = false;
      scanner.reset(in.readerIndex());
      return;
    }
    try {
      int more = in.readableBytes();
      if (!held.isExclusive() || start() > 0) {
        held = moveRest(held, more);
      }
      Growth.ensureRoom(held.buffer(), more);
      held.buffer().writeBytes(in);
    } finally {
      in.release();
    }
  }

  /** Looks for the next request. */
  ScanResult scan() {
    if (putBack) {
      putBack = false;
      return ScanResult.REQUEST;
    }
    SharedBuffer held = current;
    if (held == null) {
      return ScanResult.INCOMPLETE;
    }
    ScanResult result = scanner.scan(held.buffer(), held.buffer().writerIndex());
    if (result == ScanResult.INCOMPLETE) {
      keepRest(held);
    }
    return result;
  }

  /** The next {@link #scan} finds the last request again. */
  void putBack() {
    putBack = true;
  }

  /** Whether the last request found is to be found again. */
  boolean isPutBack() {
    return putBack;
  }

  /** A share of the buffer that the frame lies in; the caller owns it. */
  SharedBuffer shareFrame() {
    SharedBuffer held = current;
    if (held != null && held.buffer() == frame().buffer()) {
      return held.share();
    }
    return new SharedBuffer(frame().buffer()); // an inline request, encoded anew
  }

  private int start() {
    return putBack && !isInline() ? frame().start() : scanner.start();
  }

  private boolean isInline() {
    SharedBuffer held = current;
    return held == null || held.buffer() != frame().buffer();
  }

  private void keepRest(SharedBuffer held) {
    int rest = held.buffer().writerIndex() - start();
    if (rest == 0) {
      current = null;
      held.release();
      frame().shrink();
    } else if (!held.isExclusive() || start() > 0 || isWasteful(held, rest)) {
      int believable = Math.min(PREALLOCATED, rest * TRUST);
      moveRest(held, Math.min(scanner.missing(held.buffer().writerIndex()), believable));
    }
  }

  /** What was read into may be large, and a beginning is kept for as long as its end is missing. */
  private boolean isWasteful(SharedBuffer held, int rest) {
    return !ownBuffer && rest < held.buffer().capacity() / 2;
  }

  /** Moves what is unused to the beginning of a buffer that nobody shares. */
  private SharedBuffer moveRest(SharedBuffer held, int more) {
    int from = start();
    int rest = held.buffer().writerIndex() - from;
    ByteBuf moved =
        ByteBufAllocator.DEFAULT
            .directBuffer(Math.max(SMALLEST, rest + more), Integer.MAX_VALUE)
            .writeBytes(held.buffer(), from, rest);
    if (putBack && !isInline()) {
      scanner.rebaseFrame(moved, -from);
    } else {
      scanner.rebase(moved, -from);
    }
    held.release();
    ownBuffer = true;
    SharedBuffer fresh = new SharedBuffer(moved);
    current = fresh;
    return fresh;
  }

  /** Called now and then: what no request uses is given back. */
  void releaseIdle() {
    if (current == null) {
      frame().shrinkIdle();
    }
  }

  /** Gives everything back. */
  void close() {
    SharedBuffer held = current;
    if (held != null) {
      current = null;
      held.release();
    }
  }
}
