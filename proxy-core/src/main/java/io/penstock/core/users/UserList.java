package io.penstock.core.users;

import io.penstock.core.acl.AclUser;
import io.penstock.core.acl.PasswordHash;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All users of a scope at one time. There is always a user {@code default}. Immutable; any thread
 * may use it.
 */
public final class UserList {

  /** The user of clients that have not authenticated. */
  public static final String DEFAULT = "default";

  /** Accepts no password, in the time that another user takes. */
  private static final AclUser NOBODY =
      new AclUser("", true, false, true, List.of(PasswordHash.of(new byte[0])), List.of());

  private final SortedMap<String, KnownUser> byName;
  private final KnownUser defaultUser;
  private final Map<String, KnownUser> byPassword; // digests that only one enabled user has

  /**
   * @param users by their names, with {@link #DEFAULT}
   */
  UserList(SortedMap<String, KnownUser> users) {
    byName = new TreeMap<>(users);
    defaultUser = Objects.requireNonNull(byName.get(DEFAULT));
    byPassword = uniquePasswords(byName.values());
  }

  private static Map<String, KnownUser> uniquePasswords(Collection<KnownUser> users) {
    Map<String, KnownUser> unique = new HashMap<>();
    Set<String> shared = new HashSet<>();
    for (KnownUser user : users) {
      for (String digest : user.acl().enabled() ? user.acl().passwords() : Set.<String>of()) {
        KnownUser other = unique.put(digest, user);
        if (other != null && other != user) {
          shared.add(digest);
        }
      }
    }
    unique.keySet().removeAll(shared);
    return unique;
  }

  /** Returns the user of this name; null if there is none. */
  public @Nullable KnownUser find(String name) {
    return byName.get(name);
  }

  /** Returns the user of clients that have not authenticated. */
  public KnownUser defaultUser() {
    return defaultUser;
  }

  /** Returns all users, ordered by their names. */
  public Collection<KnownUser> all() {
    return byName.values();
  }

  SortedMap<String, KnownUser> byName() {
    return new TreeMap<>(byName);
  }

  /**
   * Returns the user with these credentials; null if they are wrong or the user is disabled. Takes
   * about the same time for every wrong password.
   */
  public @Nullable KnownUser authenticate(String name, byte[] password) {
    KnownUser user = byName.get(name);
    boolean right = (user == null ? NOBODY : user.acl()).accepts(password);
    return user != null && right ? user : null;
  }

  /** Returns the only enabled user that has this password; null if there is none. */
  @Nullable KnownUser authenticate(byte[] password) {
    return byPassword.get(PasswordHash.of(password));
  }
}
