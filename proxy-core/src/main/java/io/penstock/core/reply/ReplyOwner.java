package io.penstock.core.reply;

/** The client whose replies a {@link ReplySequence} gives. Called on the client's loop. */
public interface ReplyOwner {

  /** Whether the request that begins now gets no reply. */
  boolean isNextReplyMuted();

  /** A reply of Penstock's own words takes its share of the client's turn. */
  void onLocalReply();

  /** A reply has ended that went out in parts, and the next one has not begun. */
  void onReplyEnded();

  /** The reply to the request of this number was given, and messages wait for that. */
  void releaseMessages(long place);

  /** Some replies were given: there may be room for more requests, or none left to wait for. */
  void onAdvanced();

  /** A reply could not be given: the client is to be closed. */
  void fail(Throwable cause);
}
