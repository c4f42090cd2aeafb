package io.penstock.core.copies;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Takes the replies to {@code MULTI} and to the requests queued behind it. Confined to the copy's
 * loop.
 */
final class BlockReplies extends Exchange {

  private byte @Nullable [] error; // the first
  private boolean multiAnswered;
  private boolean multiFailed;

  BlockReplies() {
    sendOptions(protocol(), 0, Long.MAX_VALUE); // the deadline of the block covers all
  }

  /** Forgets what an earlier attempt was answered. */
  void reset() {
    error = null;
    multiAnswered = false;
    multiFailed = false;
  }

  /** Returns the first error; null if there is none. */
  byte @Nullable [] error() {
    return error;
  }

  /** Returns whether the node refused {@code MULTI} itself, and so ran the requests one by one. */
  boolean ranWithoutMulti() {
    return multiFailed;
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    boolean failed = buffer.getByte(from) == '-';
    if (failed && error == null) {
      error = ByteBufUtil.getBytes(buffer, from, to - from);
    }
    multiFailed |= failed && !multiAnswered;
    multiAnswered = true;
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    // Of a request that ran by itself, because MULTI has failed.
  }

  @Override
  public void onFailure(Failure failure) {
    // The block fails as well.
  }
}
