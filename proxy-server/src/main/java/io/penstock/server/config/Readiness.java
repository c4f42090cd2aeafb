package io.penstock.server.config;

import io.penstock.core.observe.UpstreamStatus;
import java.util.Locale;

/** Which slots masters must serve for Penstock to be ready. */
public enum Readiness {
  /** None: Penstock is ready as soon as it listens. */
  LISTENING,
  /** At least one: Penstock stays ready during a failover of one of several masters. */
  ANY_SLOT,
  /** All of them. */
  EVERY_SLOT;

  /** Returns whether a proxy that listens is ready. */
  public boolean isMet(UpstreamStatus upstream) {
    return switch (this) {
      case LISTENING -> true;
      case ANY_SLOT -> upstream.coveredSlots() > 0;
      case EVERY_SLOT -> upstream.isComplete();
    };
  }

  /**
   * Returns whether a proxy that listens is ready, with an upstream over plain TCP.
   *
   * @param any whether a client can get a server
   * @param all whether all servers are up
   */
  public boolean isMet(boolean any, boolean all) {
    return switch (this) {
      case LISTENING -> true;
      case ANY_SLOT -> any;
      case EVERY_SLOT -> all;
    };
  }

  /** Returns the name as the configuration writes it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
