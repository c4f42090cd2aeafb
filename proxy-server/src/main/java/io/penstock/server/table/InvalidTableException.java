package io.penstock.server.table;

/** A resource table that cannot be used. The reason and the fix contain no password. */
public final class InvalidTableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String fix;

  /**
   * @param place in the table, such as {@code operation.read}; empty for the table itself
   */
  public InvalidTableException(String place, String reason, String fix) {
    super(place.isEmpty() ? reason : "at " + place + ": " + reason);
    this.fix = fix;
  }

  /** Returns the reason, with the place. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  public String fix() {
    return fix;
  }
}
