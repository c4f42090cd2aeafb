package io.penstock.core.transport;

import io.netty.buffer.ByteBuf;

/**
 * A buffer that several users on one event loop keep alive together. The count is a plain one:
 * taking a share for each of a thousand pipelined requests costs no atomic operation. Confined to
 * one event loop.
 */
public final class SharedBuffer {

  private final ByteBuf buffer;
  private int shares = 1;

  /** Takes ownership of {@code buffer}; the caller holds the first share. */
  public SharedBuffer(ByteBuf buffer) {
    this.buffer = buffer;
  }

  /** The buffer, owned by the shares together: nobody releases it directly. */
  public ByteBuf buffer() {
    return buffer;
  }

  /** True while the caller's is the only share, so that the bytes may move. */
  public boolean isExclusive() {
    return shares == 1;
  }

  /** Takes one more share. */
  public SharedBuffer share() {
    shares++;
    return this;
  }

  /** Gives one share back; the last one releases the buffer. */
  public void release() {
    if (--shares == 0) {
      buffer.release();
    }
  }
}
