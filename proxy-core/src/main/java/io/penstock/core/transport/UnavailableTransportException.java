package io.penstock.core.transport;

import io.penstock.core.failure.Causes;

/** A transport does not work on this machine, or not with the required number of event loops. */
public final class UnavailableTransportException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  UnavailableTransportException(Transport transport, Throwable cause) {
    super(
        "transport "
            + transport.configName()
            + " does not work on this machine: "
            + Causes.rootOf(cause),
        cause);
  }
}
