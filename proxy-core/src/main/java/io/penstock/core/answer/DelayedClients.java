package io.penstock.core.answer;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The clients of one loop that are delayed after a failed authentication. Confined to that loop.
 */
public final class DelayedClients {

  /** Most clients whose delay ends in one tick; the others follow in the next. */
  private static final int MOST_PER_TICK = 1_000;

  private final Set<Authentication> delayed = new LinkedHashSet<>();

  /** Adds a client that failed to authenticate and is delayed. */
  void add(Authentication client) {
    delayed.add(client);
  }

  /**
   * Ends the delays that are over; a client that fails again is added again, behind the others.
   * Called several times per command timeout.
   */
  public void endDelays(long now) {
    if (delayed.isEmpty()) {
      return;
    }
    List<Authentication> over = new ArrayList<>();
    for (Iterator<Authentication> all = delayed.iterator();
        all.hasNext() && over.size() < MOST_PER_TICK; ) {
      Authentication client = all.next();
      if (client.endDelayIfOver(now)) {
        all.remove();
        over.add(client);
      }
    }
    over.forEach(Authentication::processInput);
  }
}
