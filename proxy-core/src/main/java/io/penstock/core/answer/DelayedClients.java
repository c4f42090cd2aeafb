package io.penstock.core.answer;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The clients of one loop that have failed to authenticate and wait. Confined to that loop. */
public final class DelayedClients {

  /** So many clients go on in one tick; the others in the next. */
  private static final int MOST_GO_ON = 1_000;

  private final Set<Authentication> delayed = new LinkedHashSet<>();

  /** A client has failed to authenticate and waits. */
  void add(Authentication client) {
    delayed.add(client);
  }

  /**
   * Ends the delays that are over; a client that fails again is delayed anew, behind the others.
   * Called several times per command timeout.
   */
  public void endDelays(long now) {
    if (delayed.isEmpty()) {
      return;
    }
    List<Authentication> over = new ArrayList<>();
    for (Iterator<Authentication> all = delayed.iterator();
        all.hasNext() && over.size() < MOST_GO_ON; ) {
      Authentication client = all.next();
      if (client.endDelayIfOver(now)) {
        all.remove();
        over.add(client);
      }
    }
    over.forEach(Authentication::processInput);
  }
}
