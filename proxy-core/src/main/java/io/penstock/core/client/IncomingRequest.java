package io.penstock.core.client;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.transport.SharedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The request that is handled now: its arguments, its bytes, and how it gets a place among the
 * replies. Valid until the handler returns. Confined to the client's event loop.
 */
public interface IncomingRequest {

  /** The command with its arguments. */
  Command command();

  /** The arguments. */
  RequestFrame frame();

  /** A share of the buffer that the frame lies in; the caller owns it. */
  SharedBuffer share();

  /**
   * Takes the request's place among the replies.
   *
   * @param spec what the request is counted as; null for what is no command
   */
  ReplySlot begin(@Nullable CommandSpec spec);
}
