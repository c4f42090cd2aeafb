package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.RequestRules;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.PendingBytes;
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
  private @Nullable RequestRules judge; // which have permitted it
  private boolean waited; // because of these rules
  private @Nullable PendingBytes counted; // its bytes, until the place for its reply is known
  private long countedBytes; // if so

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
   * The step between the route of a request and its execution: the rules may reject the request, or
   * have another one handled in its place, whose route must be found then. A request that was put
   * back is not judged again.
   *
   * @return the encoded error that answers it; null if it is executed
   */
  byte @Nullable [] judge(RequestRules rules) {
    RequestRules before = judge;
    if (before == rules) {
      return null;
    }
    if (before != null) { // the user has changed while the request waited
      judge = rules;
      return rules.rejectionOfWaiting(command);
    }
    byte[] rejection = rules.rejection(command());
    if (rejection != null) {
      return rejection;
    }
    judge = rules;
    counted = rules.pendingBytes();
    countedBytes = (long) frame().end() - frame().start();
    ByteBuf other = rules.rewrite(command());
    if (other != null) {
      replace(other);
    }
    return null;
  }

  /**
   * Returns the nanoseconds after which the request is to be handled again; 0 if it need not wait.
   */
  long waitNanos(RequestRules rules) {
    if (judge != null) {
      return 0;
    }
    long wait = rules.waitNanos(command(), waited);
    waited = wait > 0;
    return wait;
  }

  /** This is the place for the reply of the request. */
  void onReplyBegins(ReplySlot slot) {
    PendingBytes pendingBytes = counted;
    if (pendingBytes != null) {
      counted = null;
      slot.countBytes(pendingBytes, countedBytes);
    }
  }

  private void replace(ByteBuf whole) {
    try {
      Command other = reader.read(whole, whole.readerIndex(), whole.readableBytes());
      replacement = new Replacement(new SharedBuffer(whole), other);
    } catch (Throwable e) {
      whole.release();
      throw e;
    }
  }

  /** Returns the client's request, also if another one is handled in its place. */
  RequestFrame original() {
    return command.frame();
  }

  /** Looks up the client's commands in another table from the next request on. */
  void useTable(CommandTable commands) {
    command.useTable(commands);
  }

  /** Returns the command of the client's own request; null if that is unknown. */
  @Nullable CommandSpec asked() {
    return command.spec();
  }

  /** Returns whether another request is handled in place of the client's. */
  boolean isReplaced() {
    return replacement != null;
  }

  /** The request was handled. Releases what replaced it. */
  void onHandled() {
    judge = null;
    PendingBytes pendingBytes = counted;
    if (pendingBytes != null) {
      counted = null;
      pendingBytes.end(countedBytes);
    }
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
