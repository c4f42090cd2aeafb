package io.penstock.core.cluster;

import org.jspecify.annotations.Nullable;

/**
 * What a node wants to be told by {@code AUTH}.
 *
 * @param user ACL user, or null for the default user
 * @param password never shown by {@link #toString}
 */
public record Credentials(@Nullable String user, String password) {

  /** What a node says, without the password in it. */
  public String mask(String text) {
    return text.replace(password, "***");
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + ", password=***]";
  }
}
