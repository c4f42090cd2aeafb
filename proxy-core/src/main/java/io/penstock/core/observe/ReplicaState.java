package io.penstock.core.observe;

import java.util.Locale;

/** Whether a replica may be read, or else the first reason why not. */
public enum ReplicaState {
  READABLE("may be read"),
  /** It has not answered in time, cannot be reached, or answers with another error. */
  UNREACHABLE("does not answer"),
  LOADING("is loading its data"),
  /** It runs a script or a function that blocks everything else. */
  BUSY("runs a long script"),
  /** It is a master, or replicates other data than its shard's master has. */
  OTHER_DATA("does not replicate this master"),
  LINK_DOWN("has no link to its master"),
  LAG("lags too far behind its master");

  private final String description;

  ReplicaState(String description) {
    this.description = description;
  }

  /** Returns the predicate of a sentence about the replica. */
  public String description() {
    return description;
  }

  /** Returns the name for metrics, as {@code link-down}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
