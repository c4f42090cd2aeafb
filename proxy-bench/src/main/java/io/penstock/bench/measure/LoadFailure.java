package io.penstock.bench.measure;

/** A load failed; the message says why. */
public final class LoadFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public LoadFailure(String message) {
    super(message);
  }

  public LoadFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
