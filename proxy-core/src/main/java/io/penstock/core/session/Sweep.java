package io.penstock.core.session;

import io.penstock.core.limit.ClientTimeouts;
import java.util.List;

/**
 * Checks all clients of a loop periodically and closes those that exceed a timeout or a memory
 * limit. Clients have no timers of their own. Confined to its loop.
 */
final class Sweep {

  private final SessionLoop loop;
  private ClientTimeouts timeouts;
  private long period;
  private long sweptAt;

  Sweep(SessionLoop loop, ClientTimeouts timeouts, long now) {
    this.loop = loop;
    this.timeouts = timeouts;
    this.period = timeouts.checkPeriodNanos();
    this.sweptAt = now;
  }

  /** Replaces the timeouts. */
  void timeouts(ClientTimeouts next) {
    timeouts = next;
    period = next.checkPeriodNanos();
  }

  /** Called several times per command timeout. */
  void tick(long now) {
    loop.memory().tick();
    loop.delayed().endDelays(now);
    loop.slowClients().check(now);
    if (now - sweptAt >= period) {
      sweptAt = now;
      for (Session session : List.copyOf(loop.sessions())) {
        session.sweep(timeouts, now);
      }
      loop.releaseSpares();
    }
  }
}
