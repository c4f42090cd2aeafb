package io.penstock.core.change;

/** A change of the settings cannot be applied; nothing has changed. The message is the reason. */
public final class ChangeRejectedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public ChangeRejectedException(String reason) {
    super(reason);
  }
}
