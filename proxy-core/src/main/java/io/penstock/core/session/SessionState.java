package io.penstock.core.session;

import io.penstock.core.reply.ReplySlot;
import org.jspecify.annotations.Nullable;

/**
 * The state of a client connection, which changes here only. Each event is a method; in a state
 * from which no arrow of that name leads away, the event changes nothing.
 *
 * <pre>{@code
 *                 onAuthenticated             onSuspend
 * AWAITING_AUTH ------------------> SERVING -------------> SUSPENDED
 *               <------------------         <-------------
 *                   onReset (*)      |   ^     onResume
 *                                    |   |
 *                     onRoutesChange |   | onRoutesChanged
 *                                    v   |
 *                               CHANGING_ROUTES
 *
 * each but CLOSED ------> CLOSING        each ---------> CLOSED
 *                  onEnd                      onClosed
 *
 * (*) stays SERVING if no password is required
 * }</pre>
 *
 * <p>Confined to the client's event loop.
 */
final class SessionState {

  private enum State {
    /** A password is required and the client has not authenticated: few commands are served. */
    AWAITING_AUTH,
    /** Commands are served. */
    SERVING,
    /** Later requests wait for the end of the last one. */
    SUSPENDED,
    /** Later requests wait until all are answered: they go to other nodes, or by other settings. */
    CHANGING_ROUTES,
    /** No further request is handled; those in flight are answered, then the connection closes. */
    CLOSING,
    /** The connection is closed. */
    CLOSED
  }

  /** While requests wait, the client is read until this many bytes of later ones have arrived. */
  private static final int MAX_READ_AHEAD = 64 * 1024;

  private State state;
  private @Nullable ReplySlot suspendedBy; // while SUSPENDED

  /** The state after connecting. */
  SessionState(boolean passwordRequired) {
    state = initial(passwordRequired);
  }

  private static State initial(boolean passwordRequired) {
    return passwordRequired ? State.AWAITING_AUTH : State.SERVING;
  }

  /** Whether the state allows to handle a request. */
  boolean mayHandle() {
    return state == State.SERVING || state == State.AWAITING_AUTH;
  }

  /** Whether the client need not authenticate: it has, none is required, or it is closing. */
  boolean isAuthenticated() {
    return state != State.AWAITING_AUTH;
  }

  /** Whether later requests wait for the change of routes. */
  boolean isChangingRoutes() {
    return state == State.CHANGING_ROUTES;
  }

  /** Whether the connection is closed, or closes when all requests are answered. */
  boolean isEnding() {
    return state == State.CLOSING || state == State.CLOSED;
  }

  /** Whether the connection is closed. */
  boolean isClosed() {
    return state == State.CLOSED;
  }

  /**
   * Whether the socket is read although no request may be handled.
   *
   * @param kept bytes that were read, of requests that wait
   * @param ended whether the client sends no more
   */
  boolean mustRead(int kept, boolean ended) {
    return switch (state) {
      case AWAITING_AUTH, SERVING, CLOSED -> false;
      // The client may close the connection while it waits; only a read detects that.
      case SUSPENDED, CHANGING_ROUTES -> kept < MAX_READ_AHEAD;
      // If unread data is left when a socket is closed, the kernel drops what it has not sent yet.
      case CLOSING -> !ended;
    };
  }

  /** The client has authenticated. Returns whether it had to. */
  boolean onAuthenticated() {
    return change(State.AWAITING_AUTH, State.SERVING);
  }

  /** {@code RESET}: as after connecting. Returns whether the client was served. */
  boolean onReset(boolean passwordRequired) {
    return change(State.SERVING, initial(passwordRequired));
  }

  /**
   * Later requests wait for the end of the last one.
   *
   * @param by place of that request; the ends of earlier ones do not resume
   */
  void onSuspend(ReplySlot by) {
    if (change(State.SERVING, State.SUSPENDED)) {
      suspendedBy = by;
    }
  }

  /** A request has ended. */
  void onResume(ReplySlot by) {
    if (suspendedBy == by && change(State.SUSPENDED, State.SERVING)) {
      suspendedBy = null;
    }
  }

  /** Later requests wait until all are answered: the routes change then. */
  void onRoutesChange() {
    change(State.SERVING, State.CHANGING_ROUTES);
  }

  /** All requests before the change of routes are answered. Returns whether one was awaited. */
  boolean onRoutesChanged() {
    return change(State.CHANGING_ROUTES, State.SERVING);
  }

  /** No further request is handled. */
  void onEnd() {
    if (state != State.CLOSED) {
      leaveFor(State.CLOSING);
    }
  }

  /** The connection is closed. */
  void onClosed() {
    leaveFor(State.CLOSED);
  }

  private void leaveFor(State next) {
    state = next;
    suspendedBy = null;
  }

  private boolean change(State from, State to) {
    boolean changes = state == from;
    if (changes) {
      state = to;
    }
    return changes;
  }
}
