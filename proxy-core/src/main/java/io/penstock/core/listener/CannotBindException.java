package io.penstock.core.listener;

import io.penstock.core.observe.Label;

/** Binding a listener failed; the cause is the transport's or the file system's exception. */
public final class CannotBindException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String listener;
  private final transient ListenAddress address;

  CannotBindException(Label listener, ListenAddress address, Throwable cause) {
    super(listener.prefix() + "cannot listen on " + address, cause);
    this.listener = listener.name();
    this.address = address;
  }

  /** Returns the name of the listener. */
  public String listener() {
    return listener;
  }

  /** Returns the address that could not be bound; of several, that one alone. */
  public ListenAddress address() {
    return address;
  }
}
