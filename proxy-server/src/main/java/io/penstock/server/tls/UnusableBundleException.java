package io.penstock.server.tls;

import org.jspecify.annotations.Nullable;

/** A file of a bundle cannot be used. The message is the reason. */
public final class UnusableBundleException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final String fix;

  UnusableBundleException(String reason, String fix, @Nullable Throwable cause) {
    super(reason, cause);
    this.fix = fix;
  }

  /** What to do about it. */
  public String fix() {
    return fix;
  }
}
