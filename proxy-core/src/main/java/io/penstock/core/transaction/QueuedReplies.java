package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Takes the replies to {@code MULTI} and to the commands queued behind it: all of them mean that
 * nothing ran yet. The first error among them is the reason why {@code EXEC} will fail.
 */
final class QueuedReplies extends Exchange {

  private byte @Nullable [] error;
  private boolean multiAnswered;
  private boolean multiFailed; // answered with an error
  private ByteBuf last = Unpooled.EMPTY_BUFFER; // on the heap, so it need not be released
  private boolean lastIsWhole = true;

  QueuedReplies() {
    sendOptions(protocol(), 0, Long.MAX_VALUE); // the block's deadline covers all
  }

  /** Returns the first error since the last call, or null. */
  byte @Nullable [] takeError() {
    byte[] taken = error;
    error = null;
    multiAnswered = false;
    return taken;
  }

  /** Returns whether the node refused {@code MULTI} itself, and so ran the commands one by one. */
  boolean ranWithoutMulti() {
    return multiFailed;
  }

  /** Returns the reply to the last command in that case. */
  ByteBuf lastReply() {
    return last;
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    boolean failed = buffer.getByte(from) == '-';
    if (!multiAnswered) {
      multiAnswered = true;
      multiFailed = failed;
    } else if (multiFailed) {
      keep(buffer, from, to, true);
    }
    if (failed && error == null) {
      error = ByteBufUtil.getBytes(buffer, from, to - from);
    }
  }

  /** A command that is queued has a short reply: this one ran by itself. */
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
    // The block fails as well and reports it.
  }
}
