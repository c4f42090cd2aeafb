package io.penstock.core.users;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The users of all scopes of a proxy, each as long as a listener has them. Safe from any thread;
 * changes when listeners are made, changed and closed.
 */
public final class AllUsers {

  private final ConcurrentMap<String, Shared> scopes = new ConcurrentHashMap<>();

  /** Users, and how many listeners have them. */
  private record Shared(Users users, int listeners) {

    Shared plus(int more) {
      return new Shared(users, listeners + more);
    }
  }

  /** Returns the users of a scope, for one more listener. Those that others have do not change. */
  public Users join(UsersSettings settings) {
    Shared joined = new Shared(new Users(settings), 1);
    return scopes.merge(settings.scope(), joined, (shared, _) -> shared.plus(1)).users();
  }

  /** Returns the users of each scope that a listener has, ordered by the name of the scope. */
  public List<Users> all() {
    return scopes.values().stream()
        .map(Shared::users)
        .sorted(Comparator.comparing(Users::scope))
        .toList();
  }

  /** One listener less has the users of this scope. */
  public void leave(UsersSettings settings) {
    scopes.computeIfPresent(
        settings.scope(), (_, shared) -> shared.listeners() == 1 ? null : shared.plus(-1));
  }
}
