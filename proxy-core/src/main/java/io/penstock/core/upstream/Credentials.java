package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code AUTH}.
 *
 * @param user ACL user; null for the default user
 * @param password not part of {@link #toString}
 */
public record Credentials(@Nullable String user, String password) {

  /** Part of a Redis server's error for an unknown command. The arguments follow, truncated. */
  private static final String ARGUMENTS = "with args beginning with:";

  /**
   * Masks the arguments that a node's error repeats of a request, which may contain credentials.
   */
  public static String mask(String error) {
    int end = error.indexOf(ARGUMENTS);
    return end < 0 ? error : error.substring(0, end + ARGUMENTS.length()) + " ***";
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + ", password=***]";
  }
}
