package io.penstock.server.change;

import java.util.Locale;

/** How a reload ended. */
public enum ReloadOutcome {
  /** What differs is in force. */
  APPLIED,
  /** Nothing differs, or only what a restart changes. */
  UNCHANGED,
  /** The configuration cannot be used, and nothing has changed. */
  REFUSED;

  /** Returns the word for metrics and the endpoint. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
