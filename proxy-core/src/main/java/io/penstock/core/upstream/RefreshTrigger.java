package io.penstock.core.upstream;

import java.util.Locale;

/**
 * Why the topology is looked at again. All but {@link #PERIODIC}, {@link #STARTUP} and those that
 * are {@linkplain #isUrgent urgent} are adaptive: one per interval.
 */
public enum RefreshTrigger {
  STARTUP,
  PERIODIC,
  MOVED,
  ASK,
  RECONNECT,
  UNCOVERED_SLOT,
  UNKNOWN_NODE,
  READONLY,
  /** Requests are held. */
  HELD,
  /** A node owes replies and sends nothing, or has not answered a command in time. */
  NO_REPLY;

  /** Whether clients wait for the outcome: the topology is looked at often until they do not. */
  public boolean isUrgent() {
    return this == HELD || this == NO_REPLY;
  }

  /** For a log line. */
  public String description() {
    return switch (this) {
      case HELD -> "held requests";
      case NO_REPLY -> "no reply in time";
      default -> name().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }
}
