package io.penstock.core.users;

import io.penstock.core.acl.AclUser;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The users of one listener, or of all listeners that have none of their own. Immutable.
 *
 * @param scope the key of the configuration, for example {@code penstock.users}: listeners with the
 *     same scope have the same users, also after {@code ACL SETUSER}
 * @param users with different names. Without a user {@code default}, that one may do everything
 *     without a password, as on a server
 * @param aclFile what {@code ACL LOAD} reads and {@code ACL SAVE} writes; null if the users are in
 *     the configuration itself
 * @param settings what Redis's rules do not say, by the user's name; may name users that do not
 *     exist yet
 * @param passwordSelectsUser whether {@code AUTH} with a password only selects the user that has
 *     this password, if one enabled user alone has it; otherwise it is for the user {@code default}
 */
public record UsersSettings(
    String scope,
    List<AclUser> users,
    @Nullable Path aclFile,
    Map<String, UserSettings> settings,
    boolean passwordSelectsUser) {

  public UsersSettings {
    users = List.copyOf(users);
    settings = Map.copyOf(settings);
  }

  /** With {@code AUTH} as on a server. */
  public UsersSettings(
      String scope,
      List<AclUser> users,
      @Nullable Path aclFile,
      Map<String, UserSettings> settings) {
    this(scope, users, aclFile, settings, false);
  }
}
