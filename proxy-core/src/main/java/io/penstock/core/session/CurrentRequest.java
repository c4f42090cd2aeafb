package io.penstock.core.session;

import io.penstock.core.client.IncomingRequest;
import io.penstock.core.command.Command;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import org.jspecify.annotations.Nullable;

/** The request that was found last in a client's input. Confined to the client's event loop. */
final class CurrentRequest implements IncomingRequest {

  private final Input input;
  private final Command command;
  private final ReplySequence replies;

  /**
   * @param command over the frame of {@code input}
   */
  CurrentRequest(Input input, Command command, ReplySequence replies) {
    this.input = input;
    this.command = command;
    this.replies = replies;
  }

  @Override
  public Command command() {
    return command;
  }

  @Override
  public RequestFrame frame() {
    return input.frame();
  }

  @Override
  public SharedBuffer share() {
    return input.shareFrame();
  }

  @Override
  public ReplySlot begin(@Nullable CommandSpec spec) {
    return replies.begin(spec);
  }

  /** Puts the request back: it is the next one found again. */
  void putBack() {
    input.putBack();
  }
}
