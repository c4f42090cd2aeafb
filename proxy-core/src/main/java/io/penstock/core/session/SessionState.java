package io.penstock.core.session;

/**
 * Where a client connection stands: AwaitingAuth ⇄ Serving ⇄ Holding, and from any to Closing,
 * which is the end. {@code RESET} is what leads back to AwaitingAuth.
 */
sealed interface SessionState {

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
    Holding hold(Request by) {
      return new Holding(by);
    }
  }

  /**
   * What comes behind the last request waits for its end.
   *
   * @param by that request, whose end alone counts: earlier ones may be under way as well
   */
  record Holding(Request by) implements SessionState {
    Serving goOn() {
      return new Serving();
    }
  }

  /** No further request is read; what is in flight is answered, then the connection closes. */
  record Closing() implements SessionState {}
}
