package io.penstock.server.lifecycle;

import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;

/** Penstock cannot listen on the configured address and port. */
public final class ListenException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why the operating system rejects the bind. */
  public enum Reason {
    IN_USE("is in use by another process"),
    NO_SUCH_ADDRESS("cannot be opened: this machine does not have that address"),
    NOT_ALLOWED("cannot be opened: this process does not have the permission"),
    OTHER("cannot be opened");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  private final Reason reason;
  private final String bindKey;
  private final String portKey;

  ListenException(InetSocketAddress address, Throwable cause, String bindKey, String portKey) {
    this(address, reason(cause), cause, bindKey, portKey);
  }

  private ListenException(
      InetSocketAddress address, Reason reason, Throwable cause, String bindKey, String portKey) {
    super(
        "Port "
            + address.getPort()
            + " of "
            + address.getHostString()
            + " ("
            + portKey
            + ") "
            + reason.text
            + (reason == Reason.OTHER ? ": " + cause : "")
            + ".",
        cause);
    this.reason = reason;
    this.bindKey = bindKey;
    this.portKey = portKey;
  }

  public Reason reason() {
    return reason;
  }

  /** Returns the key that sets the address. */
  public String bindKey() {
    return bindKey;
  }

  /** Returns the key that sets the port. */
  public String portKey() {
    return portKey;
  }

  /**
   * Finds the reason in the message: the transports' exceptions share no type, only the operating
   * system's error text.
   */
  private static Reason reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      if (text.contains("already in use")) {
        return Reason.IN_USE;
      }
      if (cause instanceof UnresolvedAddressException // has no message
          || text.contains("assign requested address")
          || text.contains("unresolved address")) {
        return Reason.NO_SUCH_ADDRESS;
      }
      if (text.contains("permission denied")) {
        return Reason.NOT_ALLOWED;
      }
    }
    return Reason.OTHER;
  }
}
