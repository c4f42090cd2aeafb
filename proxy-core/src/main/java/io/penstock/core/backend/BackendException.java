package io.penstock.core.backend;

/**
 * Why a connection to a node is of no more use. Carries no stack trace: the message says it all.
 */
public final class BackendException extends Exception {

  private static final long serialVersionUID = 1L;

  BackendException(String message) {
    super(message, null, false, false);
  }

  /** Another node has taken the place of one that owes replies and is silent. */
  static BackendException superseded() {
    return new BackendException("the node owes replies and another has taken its place");
  }
}
