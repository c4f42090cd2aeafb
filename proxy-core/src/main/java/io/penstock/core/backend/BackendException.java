package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** The failure of a connection to a node. Has no stack trace: the message is sufficient. */
public final class BackendException extends Exception {

  private static final long serialVersionUID = 1L;

  private final @Nullable String handshakeError;

  public BackendException(String message) {
    this(message, null);
  }

  private BackendException(String message, @Nullable String handshakeError) {
    super(message, null, false, false);
    this.handshakeError = handshakeError;
  }

  /**
   * The node answered the handshake with an error.
   *
   * @param error the node's text, without passwords
   */
  public static BackendException handshakeFailed(String error) {
    return new BackendException("handshake failed: " + error, error);
  }

  /** The error with which the node answered the handshake; null for any other failure. */
  public @Nullable String handshakeError() {
    return handshakeError;
  }

  /** A connection to the node failed, which may be because of how it began. */
  public static BackendException of(Endpoint node, String reason) {
    return new BackendException(node.access().transport().explain(reason));
  }

  /** Another node is used instead of one that is unresponsive while replies are pending. */
  public static BackendException replaced() {
    return new BackendException("it was replaced or left out while replies were pending");
  }
}
