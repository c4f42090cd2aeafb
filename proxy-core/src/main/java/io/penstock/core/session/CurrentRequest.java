package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import org.jspecify.annotations.Nullable;

/**
 * The request that was found last in a client's input, or the one that replaces it. Confined to the
 * client's event loop.
 */
final class CurrentRequest implements IncomingRequest {

  private final Input input;
  private final Command command;
  private final RequestReader reader;
  private final ReplySequence replies;
  private @Nullable Replacement replacement;

  /** A request that is handled in place of the client's. */
  private record Replacement(SharedBuffer bytes, Command command) {}

  /**
   * @param command over the frame of {@code input}
   * @param reader parses a replacement
   */
  CurrentRequest(Input input, Command command, RequestReader reader, ReplySequence replies) {
    this.input = input;
    this.command = command;
    this.reader = reader;
    this.replies = replies;
  }

  @Override
  public Command command() {
    Replacement other = replacement;
    return other == null ? command : other.command();
  }

  @Override
  public RequestFrame frame() {
    return command().frame();
  }

  @Override
  public SharedBuffer share() {
    Replacement other = replacement;
    return other == null ? input.shareFrame() : other.bytes().share();
  }

  @Override
  public ReplySlot begin(@Nullable CommandSpec spec) {
    return replies.begin(spec);
  }

  /**
   * Handles another request in place of this one, until {@link #onHandled}.
   *
   * @param whole one request; this takes ownership
   */
  void replace(ByteBuf whole) {
    onHandled();
    int from = whole.readerIndex();
    Command other = reader.read(whole, from, whole.readableBytes());
    replacement = new Replacement(new SharedBuffer(whole), other);
  }

  /** Returns whether another request is handled in place of the client's. */
  boolean isReplaced() {
    return replacement != null;
  }

  /** The request was handled. Releases what replaced it. */
  void onHandled() {
    Replacement other = replacement;
    if (other != null) {
      replacement = null;
      other.bytes().release();
    }
  }

  /** Puts the request back: it is the next one found again. */
  void putBack() {
    input.putBack();
  }
}
