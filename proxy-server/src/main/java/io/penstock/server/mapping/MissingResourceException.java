package io.penstock.server.mapping;

/** No resource is configured. */
public final class MissingResourceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MissingResourceException() {
    super("no resource is configured");
  }
}
