package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resync.Questions.ReplySink;
import io.penstock.core.shadow.ByteHash;

/**
 * What is kept of a serialized value: its length and a hash. The version and the checksum at its
 * end make no difference.
 */
final class DumpDigest implements ReplySink {

  /** RDB version (2), checksum (8), and the end of the line. */
  private static final int FOOTER = 12;

  private final ByteHash hash = new ByteHash();
  private final StringBuilder header = new StringBuilder();
  private boolean headerEnded;
  private long left; // bytes of the value that are hashed
  private long length = -1; // no value
  private long result;

  @Override
  public void add(ByteBuf buffer, int from, int to) {
    int at = from;
    while (!headerEnded && at < to) {
      char next = (char) buffer.getByte(at++);
      if (next == '\n') {
        endHeader();
      } else {
        header.append(next);
      }
    }
    int end = (int) Math.min(to, at + left);
    if (end > at) {
      hash.add(buffer, at, end);
      left -= end - at;
    }
  }

  private void endHeader() {
    headerEnded = true;
    length = Long.parseLong(header, 1, header.length() - 1, 10);
    left = Math.max(0, length + 2 - FOOTER);
  }

  @Override
  public void end() {
    result = hash.end();
  }

  /** Returns whether there is a value. */
  boolean isPresent() {
    return length >= 0;
  }

  /** Returns the length of the serialized value in bytes. */
  long length() {
    return length;
  }

  boolean isSameAs(DumpDigest other) {
    return length == other.length && result == other.result;
  }
}
