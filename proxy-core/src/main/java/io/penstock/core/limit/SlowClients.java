package io.penstock.core.limit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The clients of one loop that are above their soft limit. Confined to that loop. */
public final class SlowClients {

  private final Set<Allowance> clients = new LinkedHashSet<>();

  /** A client is above its soft limit. */
  void add(Allowance client) {
    clients.add(client);
  }

  /** It is not any more, or is gone. */
  void remove(Allowance client) {
    clients.remove(client);
  }

  /** Closes those that have been for too long. Called several times per command timeout. */
  public void check(long now) {
    for (Allowance client : List.copyOf(clients)) {
      client.check(now);
    }
  }
}
