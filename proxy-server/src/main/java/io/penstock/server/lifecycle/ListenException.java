package io.penstock.server.lifecycle;

import io.penstock.core.listener.CannotBindException;
import io.penstock.core.listener.ListenAddress;
import io.penstock.core.listener.UnusableSocketFileException;
import io.penstock.server.config.PropertiesReader;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Penstock cannot listen on the configured address and port, or Unix socket. */
public final class ListenException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Why the operating system rejects the bind. */
  public enum Reason {
    IN_USE("is in use by another process"),
    NO_SUCH_ADDRESS("cannot be opened: this machine does not have that address"),
    NOT_ALLOWED("cannot be opened: this process does not have the permission"),
    /** Of a Unix socket. */
    OTHER_FILE("cannot be opened: there is a file or folder that is no socket"),
    /** Of a Unix socket. */
    NO_FOLDER("cannot be opened: its folder does not exist"),
    /** Of a Unix socket. */
    OWNER("cannot get its owner"),
    OTHER("cannot be opened");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  /**
   * Returns an exception about a listener.
   *
   * @param keys of the configuration that has the listener
   */
  public static ListenException of(CannotBindException failed, PropertiesReader keys) {
    String section = keys.hasNamedListeners() ? "listeners." + failed.listener() + "." : "";
    return new ListenException(
        failed.address(),
        Objects.requireNonNullElse(failed.getCause(), failed),
        key -> keys.written(section + key));
  }

  private final Reason reason;
  private final boolean unixSocket;
  private final transient UnaryOperator<String> keys;

  /**
   * @param keys returns the key of the listener that the user wrote, for {@code port} and others
   */
  ListenException(ListenAddress address, Throwable cause, UnaryOperator<String> keys) {
    this(address, reason(cause), cause, keys);
  }

  private ListenException(
      ListenAddress address, Reason reason, Throwable cause, UnaryOperator<String> keys) {
    super(
        switch (address) {
              case ListenAddress.Tcp tcp ->
                  "Port %d of %s (%s) "
                      .formatted(tcp.port(), String.join(", ", tcp.hosts()), keys.apply("port"));
              case ListenAddress.Unix unix ->
                  "Unix socket %s (%s) ".formatted(unix, keys.apply("path"));
            }
            + text(reason, cause)
            + ".",
        cause);
    this.reason = reason;
    this.keys = keys;
    this.unixSocket = address instanceof ListenAddress.Unix;
  }

  private static String text(Reason reason, Throwable cause) {
    return switch (reason) {
      case IN_USE, NO_SUCH_ADDRESS, OTHER_FILE, NO_FOLDER -> reason.text;
      case NOT_ALLOWED, OWNER ->
          cause instanceof UnusableSocketFileException
              ? reason.text + ": " + cause.getMessage()
              : reason.text;
      case OTHER -> reason.text + ": " + cause;
    };
  }

  public Reason reason() {
    return reason;
  }

  /** Returns whether it is a Unix socket. */
  public boolean isUnixSocket() {
    return unixSocket;
  }

  /**
   * Returns the key of the listener as the user wrote it.
   *
   * @param name {@code port}, {@code bind}, {@code path} or {@code owner}
   */
  public String key(String name) {
    return keys.apply(name);
  }

  /**
   * Finds the reason in the message: the transports' exceptions share no type, only the operating
   * system's error text.
   */
  private static Reason reason(Throwable failure) {
    if (failure instanceof UnusableSocketFileException file) {
      return switch (file.reason()) {
        case IN_USE -> Reason.IN_USE;
        case OTHER_FILE -> Reason.OTHER_FILE;
        case NO_FOLDER -> Reason.NO_FOLDER;
        case OWNER -> Reason.OWNER;
        case NOT_ALLOWED -> Reason.NOT_ALLOWED;
      };
    }
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
