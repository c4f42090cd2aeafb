package io.penstock.core.listener;

import java.net.InetSocketAddress;

/** An address cannot be listened on; the cause is what the transport says. */
public final class CannotBindException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  CannotBindException(InetSocketAddress address, Throwable cause) {
    super(address + " cannot be listened on", cause);
  }
}
