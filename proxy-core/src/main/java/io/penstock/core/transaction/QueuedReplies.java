package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Takes the replies to {@code MULTI} and to what is queued behind it: all of them say that nothing
 * ran yet. The first error among them is why {@code EXEC} will refuse.
 */
final class QueuedReplies extends Exchange {

  private byte @Nullable [] error;
  private boolean multiAnswered; // MULTI was answered
  private boolean multiFailed; // with an error
  private ByteBuf last = Unpooled.EMPTY_BUFFER; // on the heap: nobody has to release it
  private boolean lastIsWhole = true;

  QueuedReplies() {
    sendOptions(protocol(), 0, Long.MAX_VALUE); // the block has a deadline for all
  }

  /** The first error since the last call, or null. */
  byte @Nullable [] takeError() {
    byte[] taken = error;
    error = null;
    multiAnswered = false;
    return taken;
  }

  /** Whether the node refused {@code MULTI} itself, and so ran what followed one by one. */
  boolean ranWithoutMulti() {
    return multiFailed;
  }

  /** The reply to the last command that ran by itself then. */
  ByteBuf lastReply() {
    return last;
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    boolean refused = buffer.getByte(from) == '-';
    if (!multiAnswered) {
      multiAnswered = true;
      multiFailed = refused;
    } else if (multiFailed) {
      keep(buffer, from, to, true);
    }
    if (refused && error == null) {
      error = ByteBufUtil.getBytes(buffer, from, to - from);
    }
  }

  /** A node that queues says no more than that: the command runs by itself. */
  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean end) {
    keep(buffer, from, to, end);
  }

  private void keep(ByteBuf buffer, int from, int to, boolean end) {
    if (lastIsWhole) {
      last = Unpooled.buffer(to - from);
    }
    last.writeBytes(buffer, from, to - from);
    lastIsWhole = end;
  }

  @Override
  public void onFailure(Failure failure) {
    // The block fails as well, and says so.
  }
}
