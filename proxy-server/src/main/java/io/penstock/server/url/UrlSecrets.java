package io.penstock.server.url;

import org.jspecify.annotations.Nullable;

/**
 * Passwords of a resource that are not in its URL. With one, the URL has the user only.
 *
 * @param password of the nodes, or null
 * @param sentinelPassword of the sentinels, or null
 */
public record UrlSecrets(@Nullable String password, @Nullable String sentinelPassword) {

  /** The URL has the passwords, if there are any. */
  public static final UrlSecrets NONE = new UrlSecrets(null, null);

  @Override
  public String toString() {
    return "UrlSecrets"; // no password
  }
}
