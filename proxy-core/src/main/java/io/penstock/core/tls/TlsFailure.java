package io.penstock.core.tls;

import java.nio.channels.ClosedChannelException;

/** Failures of handshakes, for logs. */
public final class TlsFailure {

  private TlsFailure() {}

  /** Returns why a handshake failed: the message of the root cause, which names what is wrong. */
  public static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof ClosedChannelException
        ? "the peer closed the connection during the TLS handshake"
        : "the TLS handshake failed: " + root.getMessage();
  }
}
