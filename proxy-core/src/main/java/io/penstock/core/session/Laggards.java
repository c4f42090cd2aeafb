package io.penstock.core.session;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The clients of a loop that are connected to earlier {@linkplain LoopRoutes routes} than new
 * clients. Empty unless the settings have changed. Confined to its loop.
 */
final class Laggards {

  private final Set<Session> sessions = new LinkedHashSet<>();

  /** Adds clients; {@link #check} removes each when it has changed to the latest routes. */
  void addAll(Collection<Session> some) {
    sessions.addAll(some);
  }

  /** Has each client change to the latest routes if it can. Called with each tick. */
  void check(LoopRoutes latest) {
    if (sessions.isEmpty()) {
      return;
    }
    for (Session session : List.copyOf(sessions)) {
      if (session.isClosed() || session.follow(latest)) {
        sessions.remove(session);
      }
    }
  }

  /** Returns whether one of them uses these connections to nodes. */
  boolean anyUses(SessionLoop.Routing routing) {
    return sessions.stream().anyMatch(session -> uses(session, routing));
  }

  private static boolean uses(Session session, SessionLoop.Routing routing) {
    return !session.isClosed() && session.routes().routing().equals(routing);
  }

  /** Ends what keeps all of them, or closes them. */
  void leave(LoopRoutes latest) {
    List.copyOf(sessions).forEach(each -> each.leaveRoutes(latest));
  }

  /** Ends what keeps those that use these connections to nodes, or closes them. */
  void drain(SessionLoop.Routing routing, LoopRoutes latest) {
    List<Session> users = sessions.stream().filter(each -> uses(each, routing)).toList();
    users.forEach(each -> each.leaveRoutes(latest));
  }
}
