package io.penstock.core.output;

import io.netty.buffer.ByteBuf;

/**
 * A buffer with a loop-confined reference count. The count is a plain field, so taking a share for
 * each of a thousand pipelined requests costs no atomic operation. Confined to one event loop.
 */
public final class SharedBuffer {

  private final ByteBuf buffer;
  private int shares = 1;

  /** Takes ownership of {@code buffer}; the caller owns the first share. */
  public SharedBuffer(ByteBuf buffer) {
    this.buffer = buffer;
  }

  /** The buffer, owned by the shares together: it must not be released directly. */
  public ByteBuf buffer() {
    return buffer;
  }

  /** Returns whether the caller's share is the only one, so that the bytes may be moved. */
  public boolean isExclusive() {
    return shares == 1;
  }

  /** Takes one more share. */
  public SharedBuffer share() {
    shares++;
    return this;
  }

  /** Releases one share; the last one releases the buffer. */
  public void release() {
    if (--shares == 0) {
      buffer.release();
    }
  }
}
