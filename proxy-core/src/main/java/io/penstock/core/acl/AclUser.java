package io.penstock.core.acl;

import java.util.List;

/**
 * A user as {@code ACL GETUSER} shows it. Immutable.
 *
 * @param enabled whether clients may authenticate as this user
 * @param noPassword whether any password is right
 * @param sanitizesPayloads the flag {@code sanitize-payload}, which servers act on
 * @param passwords SHA-256 of each password, as lower-case hexadecimal digits, in the order in
 *     which they were added
 * @param selectors what the user may do: the first one is the user's own, the others are the
 *     selectors in parentheses. A request must be permitted by one of them as a whole
 */
public record AclUser(
    String name,
    boolean enabled,
    boolean noPassword,
    boolean sanitizesPayloads,
    List<String> passwords,
    List<AclSelector> selectors) {

  public AclUser {
    passwords = List.copyOf(passwords);
    selectors = List.copyOf(selectors);
  }

  /** Returns a user as {@code ACL SETUSER} creates it: disabled, without any permission. */
  public static AclUser created(String name) {
    return new AclUser(name, false, false, true, List.of(), List.of(AclSelector.NOTHING));
  }

  /** Returns the user {@code default} of a server without any configuration: it may do all. */
  public static AclUser unrestricted(String name) {
    var everything =
        new AclSelector(List.of("+@all"), AclSelector.ALL_KEYS, AclSelector.ALL_CHANNELS);
    return new AclUser(name, true, true, true, List.of(), List.of(everything));
  }

  /** Returns whether a client may authenticate as this user with a password. */
  public boolean accepts(byte[] password) {
    if (!enabled || noPassword) {
      return enabled;
    }
    String hash = PasswordHash.of(password);
    boolean right = false;
    for (String each : passwords) {
      right |= PasswordHash.isSame(each, hash);
    }
    return right;
  }

  @Override
  public String toString() {
    return "AclUser[" + name + "]"; // hashes of passwords do not belong into logs
  }
}
