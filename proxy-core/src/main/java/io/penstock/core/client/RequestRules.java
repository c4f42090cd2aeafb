package io.penstock.core.client;

import io.netty.buffer.ByteBuf;
import io.penstock.core.command.Command;
import io.penstock.core.reply.PendingBytes;
import io.penstock.core.reply.ReplyRewriter;
import io.penstock.core.spec.CommandSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of each request of a {@link User}, between its route and its execution. It
 * sees each request once, however long the request then waits for earlier ones, and a command of a
 * transaction when the transaction queues it. Called on the client's loop; must not block.
 */
public interface RequestRules {

  /**
   * Returns the error that answers the request in place of its execution; null to execute it.
   *
   * @param request its command may be unknown, or have too few arguments
   * @return a whole error reply, encoded
   */
  byte @Nullable [] rejection(Command request);

  /**
   * Returns whether the request must wait: it is put back, and all of this begins again later.
   * Asked before {@link #rejection}.
   *
   * @param again whether the request has waited before
   * @return 0 if it need not wait; otherwise the nanoseconds after which to ask again
   */
  default long waitNanos(Command request, boolean again) {
    return 0;
  }

  /**
   * Returns what is told when a request that was not rejected has its reply; null if nobody is to
   * be told.
   */
  default @Nullable PendingBytes pendingBytes() {
    return null;
  }

  /**
   * Returns the error of a request that was executed as far as it could be and still waits, in a
   * call that blocks; null if it may go on. Asked when the user has changed.
   *
   * @param request as the client sent it
   */
  default byte @Nullable [] rejectionOfWaiting(Command request) {
    return null;
  }

  /**
   * Returns the error of a request that a transaction has queued, in place of its execution; null
   * to execute it. Asked when {@code EXEC} comes, if the user has changed.
   *
   * @param request as the client sent it
   */
  default byte @Nullable [] rejectionOfQueued(Command request) {
    return null;
  }

  /**
   * Returns the request that is executed in place of this one; null for this one.
   *
   * @param request not rejected
   * @return one whole request, as an array of bulk strings; the caller owns it
   */
  default @Nullable ByteBuf rewrite(Command request) {
    return null;
  }

  /**
   * Returns what rewrites the reply to a command; null if the reply goes to the client as it is.
   *
   * @param asked of the client's own request, which another one may have replaced
   */
  default @Nullable ReplyRewriter rewriterFor(CommandSpec asked) {
    return null;
  }

  /**
   * Returns what rewrites the reply to {@code EXEC}; null if it goes to the client as it is.
   *
   * @param asked of the client's own requests, one for each reply; null if nothing is known of one
   */
  default @Nullable ReplyRewriter rewriterFor(List<@Nullable CommandSpec> asked) {
    return null;
  }

  /** Returns what channels have in front that the client does not see; null for nothing. */
  default @Nullable ChannelPrefix channelPrefix() {
    return null;
  }
}
