package io.penstock.server.secret;

/** A file with a secret cannot be used. The reason and the fix contain no part of it. */
public final class SecretFileException extends Exception {

  private static final long serialVersionUID = 1L;

  private final String fix;

  SecretFileException(String reason, String fix) {
    super(reason);
    this.fix = fix;
  }

  public String reason() {
    return String.valueOf(getMessage());
  }

  public String fix() {
    return fix;
  }
}
