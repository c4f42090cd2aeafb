package io.penstock.core.listener;

import java.net.InetSocketAddress;

/** Binding a listener failed; the cause is the transport's exception. */
public final class CannotBindException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  CannotBindException(InetSocketAddress address, Throwable cause) {
    super("cannot listen on " + address, cause);
  }
}
