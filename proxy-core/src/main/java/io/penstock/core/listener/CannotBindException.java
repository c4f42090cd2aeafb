package io.penstock.core.listener;

import io.penstock.core.observe.Label;
import java.net.InetSocketAddress;

/** Binding a listener failed; the cause is the transport's exception. */
public final class CannotBindException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String listener;
  private final transient InetSocketAddress address;

  CannotBindException(Label listener, InetSocketAddress address, Throwable cause) {
    super(listener.prefix() + "cannot listen on " + address, cause);
    this.listener = listener.name();
    this.address = address;
  }

  /** Returns the name of the listener. */
  public String listener() {
    return listener;
  }

  /** Returns the address that could not be bound. */
  public InetSocketAddress address() {
    return address;
  }
}
