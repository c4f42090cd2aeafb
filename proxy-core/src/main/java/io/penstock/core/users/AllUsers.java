package io.penstock.core.users;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The users of all scopes of a proxy, each as long as a listener has them. Used when listeners are
 * made, changed and closed. Safe from any thread.
 */
public final class AllUsers {

  private final Map<String, Shared> scopes = new ConcurrentHashMap<>();

  /**
   * The users of a scope.
   *
   * @param listeners that have them
   */
  private record Shared(Users users, int listeners) {}

  /** Returns the users of a scope, for one more listener. Those that others have do not change. */
  public Users join(UsersSettings settings) {
    Shared joined =
        scopes.compute(
            settings.scope(),
            (_, before) ->
                before == null
                    ? new Shared(new Users(settings), 1)
                    : new Shared(before.users(), before.listeners() + 1));
    return joined.users();
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
        settings.scope(),
        (_, before) ->
            before.listeners() == 1 ? null : new Shared(before.users(), before.listeners() - 1));
  }
}
