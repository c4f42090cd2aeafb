package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * What a node wants to be told by {@code AUTH}.
 *
 * @param user ACL user, or null for the default user
 * @param password never shown by {@link #toString}
 */
public record Credentials(@Nullable String user, String password) {

  /** What servers say who do not know a command; what follows is cut off somewhere. */
  private static final String ARGUMENTS = "with args beginning with:";

  /** What a node says, without what it repeats of a request that had these in it. */
  public static String mask(String said) {
    int end = said.indexOf(ARGUMENTS);
    return end < 0 ? said : said.substring(0, end + ARGUMENTS.length()) + " ***";
  }

  @Override
  public String toString() {
    return "Credentials[user=" + user + ", password=***]";
  }
}
