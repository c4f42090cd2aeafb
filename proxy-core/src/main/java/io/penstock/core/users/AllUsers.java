package io.penstock.core.users;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The users of all scopes of a proxy, each as long as a listener has them. Used when listeners are
 * made, changed and closed, by one thread at a time.
 */
public final class AllUsers {

  private final Map<String, Shared> scopes = new HashMap<>();

  private static final class Shared {
    final Users users;
    int listeners;

    Shared(Users users) {
      this.users = users;
    }
  }

  /** Returns the users of a scope, for one more listener. Those that others have do not change. */
  public synchronized Users join(UsersSettings settings) {
    Shared shared = scopes.computeIfAbsent(settings.scope(), _ -> new Shared(new Users(settings)));
    shared.listeners++;
    return shared.users;
  }

  /** Returns the users of each scope that a listener has, ordered by the name of the scope. */
  public synchronized List<Users> all() {
    return scopes.values().stream()
        .map(shared -> shared.users)
        .sorted(Comparator.comparing(Users::scope))
        .toList();
  }

  /** One listener less has the users of this scope. */
  public synchronized void leave(UsersSettings settings) {
    scopes.computeIfPresent(
        settings.scope(), (_, shared) -> --shared.listeners == 0 ? null : shared);
  }
}
