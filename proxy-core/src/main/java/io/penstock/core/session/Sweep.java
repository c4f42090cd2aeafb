package io.penstock.core.session;

import io.penstock.core.limit.ClientTimeouts;
import java.util.List;

/**
 * Looks at a loop's clients now and then, all of them at once: no client has a timer of its own.
 * Closes those that keep Penstock waiting, or memory. Confined to its loop.
 */
final class Sweep {

  private final SessionLoop loop;
  private final ClientTimeouts timeouts;
  private final long period;
  private long sweptAt;

  Sweep(SessionLoop loop, ClientTimeouts timeouts, long now) {
    this.loop = loop;
    this.timeouts = timeouts;
    this.period = timeouts.checkPeriodNanos();
    this.sweptAt = now;
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
