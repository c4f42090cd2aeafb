package io.penstock.core.client;

import io.penstock.core.command.Command;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * The request that is handled now: its arguments, its bytes, and its reply slot. Valid until the
 * handler returns. Confined to the client's event loop.
 */
public interface IncomingRequest {

  /** Returns the command with its arguments. */
  Command command();

  /** Returns the arguments. */
  RequestFrame frame();

  /** Returns a share of the buffer that holds the frame; the caller owns it. */
  SharedBuffer share();

  /**
   * Begins the reply to the request.
   *
   * @param spec the command that the request is counted as; null if it is not a command
   */
  ReplySlot begin(@Nullable CommandSpec spec);
}
