package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.observe.Outcome;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.transaction.TransactionBlock;

/**
 * Tries a blocking call without blocking: in a transaction of its own it does not block, and it
 * stays in order with the client's other requests.
 */
public final class NonBlockingAttempt extends TransactionBlock {

  /** The call that is tried. */
  public interface Listener {

    /**
     * Handles the call's own reply, which may be nil or an error.
     *
     * @param buffer borrowed
     */
    void onAttemptReply(ByteBuf buffer, int from, int to);

    /** Handles a part of a large reply of its own. */
    void onReplyPart(ByteBuf buffer, int from, int to, boolean last);

    /** Drops the parts of a reply that came before: it comes once more, or not at all. */
    void dropPartialReply();

    /**
     * The node does not run the call in a transaction. Nothing ran.
     *
     * @param error a whole error reply
     */
    void onNotTried(byte[] error);

    /** The attempt has failed with this error of the node, or may have run. */
    void answer(ByteBuf buffer, int from, int to);

    /** The same, with an error of Penstock. */
    void answer(byte[] reply, Outcome outcome);
  }

  /** Length of the array header before the call's own reply in the reply to {@code EXEC}. */
  private static final int HEADER = "*1\r\n".length();

  private final RetryableErrors retryableErrors;
  private final Listener call;
  private final ReplySlot whole;
  private boolean begun; // the header was skipped

  /**
   * @param whole where the client's reply goes
   */
  public NonBlockingAttempt(BlockingContext context, Listener call, ReplySlot whole) {
    super(context.owner());
    this.retryableErrors = context.retryableErrors();
    this.call = call;
    this.whole = whole;
    timeline(whole.timeline());
  }

  @Override
  public void deliver(ByteBuf buffer, int from, int to, Outcome outcome) {
    releaseRequest();
    if (outcome == Outcome.OK) {
      call.onAttemptReply(buffer, from + HEADER, to);
    } else if (ReplyStrings.startsWith(buffer, from, to, "-EXECABORT ")) {
      call.onNotTried(ByteBufUtil.getBytes(buffer, from, to - from));
    } else {
      call.answer(buffer, from, to);
    }
  }

  /**
   * The call ran by itself. Its timeout was so short that blocking did no harm, and what it popped
   * is for the client.
   */
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
      call.onNotTried(ByteBufUtil.getBytes(reply, 0, end));
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

  /** For example for lack of memory; the call by itself may still be allowed. */
  @Override
  public void onAborted(byte[] error) {
    releaseRequest();
    call.onNotTried(error);
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
