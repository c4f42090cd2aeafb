package io.penstock.server.cli;

/** The command line is invalid. The message says why and never repeats a value. */
public final class UsageException extends Exception {

  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
