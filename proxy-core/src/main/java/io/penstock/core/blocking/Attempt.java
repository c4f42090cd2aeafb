package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transaction.Block;

/**
 * A call that may block, tried without: a transaction of it alone does not block, and goes in order
 * with the client's other requests.
 */
final class Attempt extends Block {

  /** What stands before the call's own reply in that to {@code EXEC}. */
  private static final int HEADER = "*1\r\n".length();

  private final RetryableErrors refusals;
  private final BlockingCall call;
  private final ReplySlot whole;
  private boolean begun; // the header is passed

  /**
   * @param whole the call's place among the client's replies
   */
  Attempt(BlockingParts made, BlockingCall call, ReplySlot whole) {
    super(made.owner());
    this.refusals = made.retryableErrors();
    this.call = call;
    this.whole = whole;
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    settle();
    if (outcome == Outcome.OK) {
      call.tried(buffer, from + HEADER, to);
    } else if (ReplyStrings.startsWith(buffer, from, to, "-EXECABORT ")) {
      call.block(); // the node's user may not do this, but maybe the call by itself
    } else {
      call.answer(buffer, from, to);
    }
  }

  /** The call was given so little time that it did no harm, and what it popped is the client's. */
  @Override
  public void ranAlone(byte[] error, ByteBuf reply) {
    int end = reply.writerIndex();
    boolean failed = reply.getByte(0) == '-';
    if (failed && handleRetryableError(reply, 0, end)) {
      return;
    }
    ran();
    settle();
    if (!failed) {
      call.tried(reply, 0, end);
    } else if (refusals.parseForBlockingCall(this, reply, 0, end) != null) {
      call.block();
    } else {
      call.answer(reply, 0, end);
    }
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    settle();
    call.answer(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      settle();
    }
    call.onReplyPart(buffer, begun ? from : from + HEADER, to, last);
    begun = true;
  }

  /** As for lack of memory, which a call by itself may be allowed to make. */
  @Override
  public void aborted(byte[] error) {
    settle();
    call.block();
  }

  @Override
  public void dropHeld() {
    begun = false;
    call.dropParts();
    whole.dropPending();
  }

  @Override
  public boolean hasBegun() {
    return whole.hasBegun();
  }
}
