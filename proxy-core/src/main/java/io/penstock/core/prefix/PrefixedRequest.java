package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.resp.Header;
import io.penstock.core.resp.RequestFrame;
import org.jspecify.annotations.Nullable;

/** A request with the prefix in front of some of its arguments. Borrows the frame. */
final class PrefixedRequest {

  /** Most bytes around an argument. */
  private static final int HEADER = 14;

  private static final byte[] LINE_END = {'\r', '\n'};
  private static final byte[] MATCH = {'M', 'A', 'T', 'C', 'H'};

  private final RequestFrame frame;
  private final Front front;
  private final byte[] @Nullable [] before; // of each argument; null for nothing
  private boolean anyKey; // MATCH and a pattern follow
  private boolean anyPattern; // a pattern follows

  PrefixedRequest(RequestFrame frame, Front front) {
    this.frame = frame;
    this.front = front;
    this.before = new byte[frame.argc()] @Nullable [];
  }

  PrefixedRequest key(int argument) {
    before[argument] = front.text();
    return this;
  }

  PrefixedRequest keysFrom(int argument) {
    for (int i = argument; i < before.length; i++) {
      before[i] = front.text();
    }
    return this;
  }

  PrefixedRequest pattern(int argument) {
    before[argument] = front.glob();
    return this;
  }

  PrefixedRequest patternsFrom(int argument) {
    for (int i = argument; i < before.length; i++) {
      before[i] = front.glob();
    }
    return this;
  }

  /** Adds {@code MATCH} and a pattern for everything with the prefix. */
  PrefixedRequest addMatch() {
    anyKey = true;
    return addAnyPattern();
  }

  /** Adds a pattern for everything with the prefix. */
  PrefixedRequest addAnyPattern() {
    anyPattern = true;
    return this;
  }

  /** Returns the request as an array of bulk strings; the caller owns it. */
  ByteBuf write() {
    ByteBuf out = ByteBufAllocator.DEFAULT.directBuffer(size());
    Header.write(out, '*', before.length + (anyKey ? 1 : 0) + (anyPattern ? 1 : 0));
    for (int i = 0; i < before.length; i++) {
      byte[] added = before[i];
      int length = frame.length(i);
      Header.write(out, '$', added == null ? length : (long) length + added.length);
      if (added != null) {
        out.writeBytes(added);
      }
      out.writeBytes(frame.buffer(), frame.offset(i), length).writeBytes(LINE_END);
    }
    if (anyKey) {
      Header.write(out, '$', MATCH.length);
      out.writeBytes(MATCH).writeBytes(LINE_END);
    }
    if (anyPattern) {
      Header.write(out, '$', front.glob().length + 1);
      out.writeBytes(front.glob()).writeByte('*').writeBytes(LINE_END);
    }
    return out;
  }

  private int size() {
    long size = HEADER;
    for (int i = 0; i < before.length; i++) {
      byte[] added = before[i];
      size += HEADER + frame.length(i) + (added == null ? 0 : added.length);
    }
    size += anyPattern ? 2 * HEADER + MATCH.length + front.glob().length : 0;
    return (int) Math.min(size, Integer.MAX_VALUE);
  }
}
