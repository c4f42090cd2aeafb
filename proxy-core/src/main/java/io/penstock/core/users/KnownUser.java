package io.penstock.core.users;

import io.penstock.core.acl.AclUser;
import io.penstock.core.acl.Permissions;
import io.penstock.core.command.CommandTable;
import io.penstock.core.prefix.KeyPrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A user as it is now: Redis's rules, and what Penstock adds. Immutable, apart from the permissions
 * that it compiles once for each command table. Safe from any thread.
 */
public final class KnownUser {

  /** Tables whose permissions are kept: each upstream has one, and replaces it at times. */
  private static final int MOST_TABLES = 16;

  private final AclUser acl;
  private final UserSettings settings;
  private final long incarnation;
  private final UserUsage usage;
  private final @Nullable UserLimits limits;
  private final @Nullable KeyPrefix prefix;
  private final AtomicReference<List<Compiled>> compiled = new AtomicReference<>(List.of());

  private record Compiled(CommandTable table, Permissions permissions) {}

  /**
   * @param incarnation differs from that of a user of the same name that was deleted
   * @param usage the same as long as the user has its name
   */
  KnownUser(AclUser acl, UserSettings settings, long incarnation, UserUsage usage) {
    this.acl = acl;
    this.settings = settings;
    this.incarnation = incarnation;
    this.usage = usage;
    this.limits = UserLimits.of(settings, usage);
    this.prefix = prefixOf(settings.keyPrefix());
  }

  private static @Nullable KeyPrefix prefixOf(UserSettings.@Nullable Prefix of) {
    return of == null ? null : new KeyPrefix(of.text(), of.channels(), of.scripts(), of.counts());
  }

  public String name() {
    return acl.name();
  }

  /** Returns the user as {@code ACL GETUSER} shows it. */
  public AclUser acl() {
    return acl;
  }

  public UserSettings settings() {
    return settings;
  }

  /** Returns what the clients of the user use now. */
  public UserUsage usage() {
    return usage;
  }

  /** Returns the limits of the user's requests; null if there are none. */
  @Nullable UserLimits limits() {
    return limits;
  }

  /** Returns the prefix of the user's keys; null if there is none. */
  @Nullable KeyPrefix prefix() {
    return prefix;
  }

  /** Returns whether it is the same user, perhaps with other rules. */
  public boolean isSameAs(KnownUser other) {
    return incarnation == other.incarnation && name().equals(other.name());
  }

  /**
   * Returns whether a client must authenticate that has this user without having said so. Only the
   * user {@code default} is one that clients have without authentication.
   */
  public boolean requiresLogin() {
    return !acl.noPassword() || !acl.enabled();
  }

  /** Returns what the user may do, of the commands in a table. */
  public Permissions permissions(CommandTable table) {
    for (Compiled each : compiled.get()) {
      if (each.table() == table) {
        return each.permissions();
      }
    }
    var made = new Compiled(table, Permissions.of(acl, table));
    compiled.updateAndGet(before -> withLatest(before, made));
    return made.permissions();
  }

  private static List<Compiled> withLatest(List<Compiled> before, Compiled latest) {
    List<Compiled> all = new ArrayList<>();
    all.add(latest);
    for (Compiled each : before) {
      if (each.table() != latest.table() && all.size() < MOST_TABLES) {
        all.add(each);
      }
    }
    return List.copyOf(all);
  }

  KnownUser with(AclUser other, UserSettings otherSettings) {
    return other.equals(acl) && otherSettings.equals(settings)
        ? this
        : new KnownUser(other, otherSettings, incarnation, usage);
  }

  @Override
  public String toString() {
    return name();
  }
}
