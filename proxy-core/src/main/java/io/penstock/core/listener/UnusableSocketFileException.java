package io.penstock.core.listener;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A path cannot become a listening Unix socket. The message is the reason. */
public final class UnusableSocketFileException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Kinds of reasons. */
  public enum Reason {
    /** Another process listens there. */
    IN_USE,
    /** A file that is no socket. */
    OTHER_FILE,
    /** The parent folder does not exist. */
    NO_FOLDER,
    /** The owner or group cannot be set. */
    OWNER,
    /** The user of this process may not do it. */
    NOT_ALLOWED
  }

  private final Reason reason;

  UnusableSocketFileException(Reason reason, String message, @Nullable IOException cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** Returns the kind of the reason. */
  public Reason reason() {
    return reason;
  }
}
