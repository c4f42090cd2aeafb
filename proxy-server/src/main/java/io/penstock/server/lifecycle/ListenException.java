package io.penstock.server.lifecycle;

import io.penstock.core.ProxySettings.Listen;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;

/** Penstock cannot listen where it should. */
public final class ListenException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What the operating system has against it. */
  public enum Reason {
    IN_USE("is in use by another process"),
    NO_SUCH_ADDRESS("cannot be had: that is no address of this machine"),
    NOT_ALLOWED("is not allowed to this process"),
    OTHER("cannot be listened on");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  private final Reason reason;
  private final String bindKey;
  private final String portKey;

  ListenException(Listen listen, Throwable cause, String bindKey, String portKey) {
    this(listen, reason(cause), cause, bindKey, portKey);
  }

  private ListenException(
      Listen listen, Reason reason, Throwable cause, String bindKey, String portKey) {
    super(
        "Port "
            + listen.port()
            + " of "
            + listen.bind()
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

  /** The key that sets the address. */
  public String bindKey() {
    return bindKey;
  }

  /** The key that sets the port. */
  public String portKey() {
    return portKey;
  }

  /** The transports' exceptions have no type in common, only the operating system's words. */
  private static Reason reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String words = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      if (words.contains("already in use")) {
        return Reason.IN_USE;
      }
      if (cause instanceof UnresolvedAddressException // without a word
          || words.contains("assign requested address")
          || words.contains("unresolved address")) {
        return Reason.NO_SUCH_ADDRESS;
      }
      if (words.contains("permission denied")) {
        return Reason.NOT_ALLOWED;
      }
    }
    return Reason.OTHER;
  }
}
