package io.penstock.core.tls;

import io.penstock.core.failure.Causes;

/** Keys, certificates, protocol versions or ciphers cannot be used. The message is the reason. */
public final class InvalidTlsException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  InvalidTlsException(Throwable cause) {
    super(String.valueOf(Causes.rootOf(cause).getMessage()), cause);
  }
}
