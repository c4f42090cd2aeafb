package io.penstock.core.session;

import io.penstock.core.reply.ReplySlot;

/**
 * Where a client connection stands: AwaitingAuth ⇄ Serving ⇄ Suspended, from any to Closing, and
 * from there to Closed, which is the end. {@code RESET} is what leads back to AwaitingAuth.
 */
sealed interface SessionState {

  /** With so many bytes of requests behind it nothing is read while one is waited for. */
  int MAX_READ_AHEAD = 64 * 1024;

  /**
   * Whether the socket is read though no request may be taken up.
   *
   * @param kept bytes that were read, of requests that wait
   * @param ended whether the client sends no more
   */
  default boolean mustRead(int kept, boolean ended) {
    return false;
  }

  /** As after connecting. */
  static SessionState initial(boolean passwordRequired) {
    return passwordRequired ? new AwaitingAuth() : new Serving();
  }

  /** A password is configured and the client has not given it: only a few commands are served. */
  record AwaitingAuth() implements SessionState {
    Serving authenticated() {
      return new Serving();
    }
  }

  /** Commands are served. */
  record Serving() implements SessionState {
    /** Back to the beginning, as {@code RESET} asks. */
    SessionState reset(boolean passwordRequired) {
      return initial(passwordRequired);
    }

    /** A request must end before the next one is taken up. */
    Suspended suspend(ReplySlot by) {
      return new Suspended(by);
    }
  }

  /**
   * What comes behind the last request waits for its end.
   *
   * @param by its place, whose end alone counts: earlier ones may be under way as well
   */
  record Suspended(ReplySlot by) implements SessionState {
    Serving resume() {
      return new Serving();
    }

    /** Somebody who waits may go away, and only who reads notices. */
    @Override
    public boolean mustRead(int kept, boolean ended) {
      return kept < MAX_READ_AHEAD;
    }
  }

  /** No further request is read; what is in flight is answered, then the connection closes. */
  record Closing() implements SessionState {

    /** What is unread when a socket is closed has the kernel drop what it has not sent yet. */
    @Override
    public boolean mustRead(int kept, boolean ended) {
      return !ended;
    }
  }

  /** The connection is closed. */
  record Closed() implements SessionState {}
}
