package io.penstock.server.config;

/** Nothing says what Penstock is to proxy to. */
public final class MissingResourceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MissingResourceException() {
    super("no resource is configured");
  }
}
