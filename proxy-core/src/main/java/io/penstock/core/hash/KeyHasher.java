package io.penstock.core.hash;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Hashes keys by their hash tag. Immutable; allocates nothing. */
public final class KeyHasher {

  private final KeyHash hash;
  private final @Nullable HashTag tag;
  private final boolean zeroIfEmpty;

  /**
   * @param zeroIfEmpty whether an empty key has the hash 0 whatever the function, as in twemproxy
   */
  public KeyHasher(KeyHash hash, @Nullable HashTag tag, boolean zeroIfEmpty) {
    this.hash = hash;
    this.tag = tag;
    this.zeroIfEmpty = zeroIfEmpty;
  }

  /** Returns the hash of the key at {@code offset}, an absolute index. Borrows {@code buffer}. */
  public long of(ByteBuf buffer, int offset, int length) {
    if (length == 0 && zeroIfEmpty) {
      return 0;
    }
    return tag == null
        ? hash.of(buffer, offset, length)
        : ofTagged(tag, buffer, offset, offset + length);
  }

  /** Returns whether all keys that begin with this text have the same hash. */
  public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
    if (tag == null) {
      return false;
    }
    int end = offset + length;
    int open = buffer.indexOf(offset, end, tag.open());
    int close = open < 0 ? -1 : buffer.indexOf(open + 1, end, tag.close());
    return close > open + 1 || (close == open + 1 && close > 0 && tag.mayBeEmpty());
  }

  private long ofTagged(HashTag tag, ByteBuf buffer, int offset, int end) {
    int open = buffer.indexOf(offset, end, tag.open());
    if (open >= 0) {
      int from = open + 1;
      int close = buffer.indexOf(from, end, tag.close());
      if (close > from || (close == from && tag.mayBeEmpty())) {
        return hash.of(buffer, from, close - from);
      }
    }
    return hash.of(buffer, offset, end - offset);
  }
}
