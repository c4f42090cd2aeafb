package io.penstock.core.resync;

/** A job cannot be begun or stopped; the message says why. */
public final class JobRefusedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public JobRefusedException(String message) {
    super(message);
  }
}
