package io.penstock.core.session;

import io.penstock.core.reply.ReplySlot;

/**
 * State of a client connection: AwaitingAuth ⇄ Serving ⇄ Suspended or ChangingRoutes, from each of
 * them to Closing, and from there to Closed, the final state. {@code RESET} leads back to
 * AwaitingAuth.
 */
sealed interface SessionState {

  /** While suspended, the client is read until so many bytes of later requests have arrived. */
  int MAX_READ_AHEAD = 64 * 1024;

  /**
   * Whether the socket is read although no request may be handled.
   *
   * @param kept bytes that were read, of requests that wait
   * @param ended whether the client sends no more
   */
  default boolean mustRead(int kept, boolean ended) {
    return false;
  }

  /** The state after connecting. */
  static SessionState initial(boolean passwordRequired) {
    return passwordRequired ? new AwaitingAuth() : new Serving();
  }

  /**
   * A password is required and the client has not authenticated: only a few commands are served.
   */
  record AwaitingAuth() implements SessionState {
    Serving authenticated() {
      return new Serving();
    }
  }

  /** Commands are served. */
  record Serving() implements SessionState {
    /** Returns to the initial state, for {@code RESET}. */
    SessionState reset(boolean passwordRequired) {
      return initial(passwordRequired);
    }

    /** Holds back later requests until all are answered. */
    ChangingRoutes changeRoutes() {
      return new ChangingRoutes();
    }

    /** Suspends the client until a request ends. */
    Suspended suspend(ReplySlot by) {
      return new Suspended(by);
    }
  }

  /**
   * Later requests wait for the end of the last one.
   *
   * @param by place of that request; the ends of earlier ones do not resume
   */
  record Suspended(ReplySlot by) implements SessionState {
    Serving resume() {
      return new Serving();
    }

    /** The client may close the connection while it waits; only a read detects that. */
    @Override
    public boolean mustRead(int kept, boolean ended) {
      return kept < MAX_READ_AHEAD;
    }
  }

  /** Later requests wait until all are answered: they go to other nodes, or by other settings. */
  record ChangingRoutes() implements SessionState {
    Serving changed() {
      return new Serving();
    }

    /** As while {@link Suspended}. */
    @Override
    public boolean mustRead(int kept, boolean ended) {
      return kept < MAX_READ_AHEAD;
    }
  }

  /** No further request is handled; requests in flight are answered, then the connection closes. */
  record Closing() implements SessionState {

    /**
     * If unread data is left when a socket is closed, the kernel drops data that it has not sent
     * yet.
     */
    @Override
    public boolean mustRead(int kept, boolean ended) {
      return !ended;
    }
  }

  /** The connection is closed. */
  record Closed() implements SessionState {}
}
