package io.penstock.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * Why a connection to a node is of no more use. Carries no stack trace: the message says it all.
 */
public final class BackendException extends Exception {

  private static final long serialVersionUID = 1L;

  private final @Nullable String handshakeError;

  BackendException(String message) {
    this(message, null);
  }

  private BackendException(String message, @Nullable String refusal) {
    super(message, null, false, false);
    this.handshakeError = refusal;
  }

  /**
   * The node has answered the handshake with an error.
   *
   * @param error in the node's words, without any password
   */
  static BackendException handshakeFailed(String error) {
    return new BackendException("the node refused the handshake: " + error, error);
  }

  /** The error by which the node has not let Penstock in; null for any other failure. */
  @Nullable String handshakeError() {
    return handshakeError;
  }

  /** Another node has taken the place of one that owes replies and is silent. */
  static BackendException replaced() {
    return new BackendException("the node owes replies and another has taken its place");
  }
}
