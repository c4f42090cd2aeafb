package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transaction.TransactionBlock;

/**
 * A call that may block, tried without: a transaction of it alone does not block, and goes in order
 * with the client's other requests.
 */
final class NonBlockingAttempt extends TransactionBlock {

  /** What stands before the call's own reply in that to {@code EXEC}. */
  private static final int HEADER = "*1\r\n".length();

  private final RetryableErrors retryableErrors;
  private final BlockingCall call;
  private final ReplySlot whole;
  private boolean begun; // the header is passed

  /**
   * @param whole the call's place among the client's replies
   */
  NonBlockingAttempt(BlockingContext made, BlockingCall call, ReplySlot whole) {
    super(made.owner());
    this.retryableErrors = made.retryableErrors();
    this.call = call;
    this.whole = whole;
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    releaseRequest();
    if (outcome == Outcome.OK) {
      call.onAttemptReply(buffer, from + HEADER, to);
    } else if (ReplyStrings.startsWith(buffer, from, to, "-EXECABORT ")) {
      call.block(); // the node's user may not do this, but maybe the call by itself
    } else {
      call.answer(buffer, from, to);
    }
  }

  /** The call was given so little time that it did no harm, and what it popped is the client's. */
  @Override
  public void onRanWithoutMulti(byte[] error, ByteBuf reply) {
    int end = reply.writerIndex();
    boolean failed = reply.getByte(0) == '-';
    if (failed && handleRetryableError(reply, 0, end)) {
      return;
    }
    markExecuted();
    releaseRequest();
    if (!failed) {
      call.onAttemptReply(reply, 0, end);
    } else if (retryableErrors.parseForBlockingCall(this, reply, 0, end) != null) {
      call.block();
    } else {
      call.answer(reply, 0, end);
    }
  }

  @Override
  public void answer(byte[] reply, Outcome outcome) {
    releaseRequest();
    call.answer(reply, outcome);
  }

  @Override
  public void deliverPart(ByteBuf buffer, int from, int to, boolean last) {
    if (last) {
      releaseRequest();
    }
    call.onReplyPart(buffer, begun ? from : from + HEADER, to, last);
    begun = true;
  }

  /** As for lack of memory, which a call by itself may be allowed to make. */
  @Override
  public void onAborted(byte[] error) {
    releaseRequest();
    call.block();
  }

  @Override
  public void dropPending() {
    begun = false;
    call.dropPartialReply();
    whole.dropPending();
  }

  @Override
  public boolean hasStartedReply() {
    return whole.hasBegun();
  }
}
