package io.penstock.core.cluster;

/**
 * Why the topology is looked at again. All but {@link #PERIODIC}, {@link #STARTUP} and {@link
 * #HELD} are adaptive and rate-limited.
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
  /** Requests are held: looked at often until they are not. */
  HELD
}
