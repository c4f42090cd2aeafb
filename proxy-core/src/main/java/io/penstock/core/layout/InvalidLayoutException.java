package io.penstock.core.layout;

/** The servers, slots, hash or hash tag of a layout are invalid. */
public final class InvalidLayoutException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String key;
  private final String reason;
  private final String fix;

  /**
   * @param key the configuration key below {@code shards}, such as {@code servers[2]}
   * @param reason what is wrong
   * @param fix what to do
   */
  public InvalidLayoutException(String key, String reason, String fix) {
    super(key + ": " + reason);
    this.key = key;
    this.reason = reason;
    this.fix = fix;
  }

  /** Returns the configuration key below {@code shards}, such as {@code servers[2]}. */
  public String key() {
    return key;
  }

  /** Returns what is wrong. */
  public String reason() {
    return reason;
  }

  /** Returns what to do. */
  public String fix() {
    return fix;
  }
}
