package io.penstock.core.resync;

/** A node answered with an error: it does not do what it was asked for. */
final class ErrorReplyException extends RuntimeException {

  private static final long serialVersionUID = 1;

  ErrorReplyException(String message) {
    super(message, null, false, false); // expected, and no bug: without a stack trace
  }
}
