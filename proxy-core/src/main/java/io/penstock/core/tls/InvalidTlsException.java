package io.penstock.core.tls;

/** Keys, certificates, protocol versions or ciphers cannot be used. The message is the reason. */
public final class InvalidTlsException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  InvalidTlsException(Throwable cause) {
    super(reason(cause), cause);
  }

  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage());
  }
}
