package io.penstock.core.sentinel;

/** A sentinel answered, but cannot name the master. The message says why, and what to change. */
final class UnusableSentinelException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnusableSentinelException(String message) {
    super(message, null, false, false);
  }
}
