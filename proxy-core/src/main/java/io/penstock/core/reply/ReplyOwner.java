package io.penstock.core.reply;

import io.penstock.core.spec.CommandSpec;
import org.jspecify.annotations.Nullable;

/** Callbacks of a {@link ReplySequence} to its client. Called on the client's loop. */
public interface ReplyOwner {

  /**
   * A request gets its place for a reply. Called once for each request whose reply goes to the
   * client, which may mute it ({@code CLIENT REPLY}) or have it rewritten.
   *
   * @param spec the request's command; null if it is not a command
   */
  void onReplyBegins(ReplySlot slot, @Nullable CommandSpec spec);

  /**
   * Penstock answers a request itself, which uses up a part of the client's budget for this loop
   * turn.
   */
  void onLocalReply();

  /** A reply that was written in parts is complete; the next reply has not begun. */
  void onReplyEnded();

  /** The reply to the request of this number was written: messages that wait for it may follow. */
  void releaseMessages(long requestNumber);

  /**
   * Some replies were written: there may be room for more requests, or no reply may be pending any
   * more.
   */
  void onAdvanced();

  /** A reply could not be written: closes the client. */
  void fail(Throwable cause);
}
