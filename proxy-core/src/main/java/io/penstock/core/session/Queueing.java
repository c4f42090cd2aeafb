package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Takes the replies to {@code MULTI} and to what is queued behind it: all of them say that nothing
 * ran yet. The first error among them is why {@code EXEC} will refuse.
 */
final class Queueing extends Exchange {

  private byte @Nullable [] error;
  private boolean begun; // MULTI was answered
  private boolean notBegun; // with an error

  Queueing() {
    destination(ANY_NODE, protocol(), 0, Long.MAX_VALUE); // the block has a deadline for all
  }

  /** The first error since the last call, or null. */
  byte @Nullable [] takeError() {
    byte[] taken = error;
    error = null;
    begun = false;
    return taken;
  }

  /** Whether the node refused {@code MULTI} itself, and so ran what followed one by one. */
  boolean ranWithoutMulti() {
    return notBegun;
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) == '-' && error == null) {
      byte[] line = new byte[to - from];
      buffer.getBytes(from, line);
      error = line;
      notBegun |= !begun;
    }
    begun = true;
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    begun = true; // no reply of a node that queues is as large as that
  }

  @Override
  public void onFailure(Failure failure) {
    // The block fails as well, and says so.
  }
}
