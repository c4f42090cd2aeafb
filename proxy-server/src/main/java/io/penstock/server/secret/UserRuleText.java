package io.penstock.server.secret;

import java.util.regex.Pattern;

/** A text with the rules of a user, as it may be shown. */
public final class UserRuleText {

  /** Rules that add or remove a password or its hash. */
  private static final Pattern PASSWORD = Pattern.compile("(?<=^|\\s)([><#!])\\S+");

  private UserRuleText() {}

  /** Returns the text without passwords and their hashes. */
  public static String masked(String rules) {
    return PASSWORD.matcher(rules).replaceAll("$1***");
  }

  /** Returns whether the text has a password that is not hashed. */
  static boolean hasPassword(String rules) {
    return PASSWORD.matcher(rules).results().anyMatch(rule -> rule.group(1).equals(">"));
  }
}
