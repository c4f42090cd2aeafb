package io.penstock.core.limit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The clients of one loop that are above their soft limit. Confined to that loop. */
public final class SlowClients {

  private final Set<Allowance> clients = new LinkedHashSet<>();

  /** Adds a client that is above its soft limit. */
  void add(Allowance client) {
    clients.add(client);
  }

  /** Removes a client that is not above its soft limit any more, or is closed. */
  void remove(Allowance client) {
    clients.remove(client);
  }

  /**
   * Closes clients that have been above it for too long. Called several times per command timeout.
   */
  public void check(long now) {
    for (Allowance client : List.copyOf(clients)) {
      client.check(now);
    }
  }
}
