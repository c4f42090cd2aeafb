package io.penstock.core.client;

import org.jspecify.annotations.Nullable;

/**
 * What clients are authenticated as. Immutable. One object may serve clients of several loops: the
 * rules are then safe from any thread.
 *
 * @param name as in {@code ACL WHOAMI}
 * @param rules about the user's requests; null if each of them is executed as it is
 */
public record User(String name, @Nullable RequestRules rules) {

  /** The user of all clients that authenticate as no other. */
  public static final User DEFAULT = named("default");

  /** Returns a user whose requests are executed as they are. */
  public static User named(String name) {
    return new User(name, null);
  }
}
