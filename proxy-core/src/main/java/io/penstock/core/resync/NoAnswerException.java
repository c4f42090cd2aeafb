package io.penstock.core.resync;

/** A node did not answer, or with an error that says that it cannot do so now. */
final class NoAnswerException extends RuntimeException {

  private static final long serialVersionUID = 1;

  NoAnswerException(String message) {
    super(message, null, false, false); // expected, and no bug: without a stack trace
  }
}
