package io.penstock.server.config;

import io.penstock.core.observe.UpstreamStatus;
import java.util.Locale;

/** Which slots must have a master that answers for Penstock to be ready. */
public enum Readiness {
  /** None: it is ready as soon as it listens. */
  LISTENING,
  /** One at least: a failover of some of several masters leaves it ready. */
  ANY_SLOT,
  /** Each of them. */
  EVERY_SLOT;

  /** Whether a proxy that listens is ready. */
  public boolean isMet(UpstreamStatus upstream) {
    return switch (this) {
      case LISTENING -> true;
      case ANY_SLOT -> upstream.coveredSlots() > 0;
      case EVERY_SLOT -> upstream.isComplete();
    };
  }

  /** As the configuration writes it. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
