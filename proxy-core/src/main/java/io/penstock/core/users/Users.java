package io.penstock.core.users;

import io.penstock.core.acl.AclRuleException;
import io.penstock.core.acl.AclRules;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The users of a scope, which commands and changed settings change. All event loops share one
 * object; safe from any thread, and nothing blocks. Clients compare {@link #now} with what they
 * have seen, before each request; {@linkplain #watch watchers} are told, too, of the clients that
 * send nothing.
 */
public final class Users {

  private final AtomicReference<State> state;
  private final AtomicLong incarnations = new AtomicLong();
  private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
  private final AclLog log = new AclLog();

  /**
   * @param settings as they were configured last; commands may have changed the users since
   */
  private record State(UsersSettings settings, UserList users) {}

  public Users(UsersSettings settings) {
    Map<String, AclUser> users = byName(settings.users());
    state = new AtomicReference<>(new State(settings, list(users, new TreeMap<>(), settings)));
  }

  private static Map<String, AclUser> byName(Collection<AclUser> users) {
    Map<String, AclUser> all = new HashMap<>();
    users.forEach(user -> all.put(user.name(), user));
    all.putIfAbsent(UserList.DEFAULT, AclUser.unrestricted(UserList.DEFAULT));
    return all;
  }

  private UserList list(
      Map<String, AclUser> users, SortedMap<String, KnownUser> before, UsersSettings settings) {
    SortedMap<String, KnownUser> all = new TreeMap<>();
    users.forEach((name, acl) -> {
      KnownUser known = before.get(name);
      UserSettings own = settings.settings().getOrDefault(name, UserSettings.NONE);
      all.put(name, known == null ? created(acl, own) : known.with(acl, own));
    });
    return new UserList(all);
  }

  private KnownUser created(AclUser acl, UserSettings own) {
    return new KnownUser(acl, own, incarnations.incrementAndGet(), new UserUsage(acl.name()));
  }

  /** Returns the users as they are now. A list whose users change is replaced by another one. */
  public UserList now() {
    return state.get().users();
  }

  /** Returns the name of the scope, for example {@code penstock.users}. */
  public String scope() {
    return state.get().settings().scope();
  }

  /** Returns what was denied. */
  public AclLog log() {
    return log;
  }

  /** Returns the file of {@code ACL LOAD} and {@code ACL SAVE}; null if there is none. */
  public @Nullable Path aclFile() {
    return state.get().settings().aclFile();
  }

  /**
   * Has something told of each change, after it, by the thread that changes the users. It must not
   * block.
   */
  public void watch(Runnable watcher) {
    watchers.add(watcher);
  }

  public void unwatch(Runnable watcher) {
    watchers.remove(watcher);
  }

  /**
   * Applies changed settings: the users are those of the settings, whatever commands have changed
   * before. Without a difference, nothing changes.
   */
  public void adopt(UsersSettings next) {
    if (!next.equals(state.get().settings())) {
      change(before -> new State(next, list(byName(next.users()), before.users().byName(), next)));
    }
  }

  /** Replaces all users, as {@code ACL LOAD} does. */
  public void replace(List<AclUser> users) {
    change(before ->
        new State(
            before.settings(), list(byName(users), before.users().byName(), before.settings())));
  }

  /**
   * Changes a user, or creates it, as {@code ACL SETUSER} does.
   *
   * @param table by which names of commands are understood
   * @throws AclRuleException if a rule is wrong; then nothing has changed
   */
  public void set(String name, List<String> rules, CommandTable table) throws AclRuleException {
    while (true) {
      State before = state.get();
      KnownUser known = before.users().find(name);
      AclUser acl = known == null ? AclUser.created(name) : known.acl();
      AclUser changed = AclRules.change(acl, rules, table);
      UserSettings own = before.settings().settings().getOrDefault(name, UserSettings.NONE);
      SortedMap<String, KnownUser> all = before.users().byName();
      all.put(name, known == null ? created(changed, own) : known.with(changed, own));
      if (state.compareAndSet(before, new State(before.settings(), new UserList(all)))) {
        watchers.forEach(Runnable::run);
        return;
      }
    }
  }

  /**
   * Deletes users, except {@code default}.
   *
   * @return how many there were
   */
  public int delete(Collection<String> names) {
    while (true) {
      State before = state.get();
      SortedMap<String, KnownUser> all = before.users().byName();
      int count = all.size();
      for (String name : names) {
        if (!name.equals(UserList.DEFAULT)) {
          all.remove(name);
        }
      }
      int deleted = count - all.size();
      if (deleted == 0) {
        return 0;
      }
      if (state.compareAndSet(before, new State(before.settings(), new UserList(all)))) {
        watchers.forEach(Runnable::run);
        return deleted;
      }
    }
  }

  /**
   * Returns the user with these credentials; null if they are wrong or the user is disabled.
   *
   * @param name null if the client gave a password only
   */
  public @Nullable KnownUser authenticate(@Nullable String name, byte[] password) {
    if (name == null && state.get().settings().passwordSelectsUser()) {
      return now().authenticate(password);
    }
    return now().authenticate(name == null ? UserList.DEFAULT : name, password);
  }

  /** Returns whether a password without a name selects the user that has it. */
  public boolean passwordSelectsUser() {
    return state.get().settings().passwordSelectsUser();
  }

  private void change(UnaryOperator<State> change) {
    state.updateAndGet(change);
    watchers.forEach(Runnable::run);
  }
}
