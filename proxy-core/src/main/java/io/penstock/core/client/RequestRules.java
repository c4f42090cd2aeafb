package io.penstock.core.client;

import io.netty.buffer.ByteBuf;
import io.penstock.core.command.Command;
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
