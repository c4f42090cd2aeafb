package io.penstock.core.upstream;

import java.util.Locale;

/**
 * Why the topology is refreshed. All triggers except {@link #STARTUP}, {@link #PERIODIC} and the
 * {@linkplain #isUrgent urgent} ones are adaptive: at most one refresh per interval.
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
  /** A sentinel reported a new master or a change of a replica. */
  SENTINEL,
  /** Requests are in the failover hold. */
  HELD,
  /** A node has requests in flight and sends nothing, or has not answered a command in time. */
  NO_REPLY;

  /**
   * Returns whether clients wait for the result, or soon will. The topology is then refreshed at
   * short intervals.
   */
  public boolean isUrgent() {
    return this == HELD || this == NO_REPLY || this == SENTINEL;
  }

  /** Returns the name of the trigger for a log line. */
  public String description() {
    return switch (this) {
      case HELD -> "held requests";
      case SENTINEL -> "message of a sentinel";
      case NO_REPLY -> "no reply in time";
      default -> name().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }
}
