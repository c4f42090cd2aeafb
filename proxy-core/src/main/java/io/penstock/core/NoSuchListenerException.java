package io.penstock.core;

/** No listener has the name that was given. */
public final class NoSuchListenerException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  NoSuchListenerException(String name) {
    super("no listener is named " + name);
  }
}
