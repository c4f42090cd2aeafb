package io.penstock.core.acl;

/** What is wrong with a rule, in the words of servers ({@code ACLSetUserStringError} in acl.c). */
enum RuleError {
  SYNTAX("Syntax error"),
  UNKNOWN_COMMAND("Unknown command or category name in ACL"),
  SUBCOMMAND_ARGUMENT("Allowing first-arg of a subcommand is not supported"),
  AFTER_ALL_KEYS(afterAll("keys", "patterns")),
  AFTER_ALL_CHANNELS(afterAll("channels", "channels")),
  UNKNOWN_PASSWORD("The password you are trying to remove from the user does not exist"),
  INVALID_HASH(
      "The password hash must be exactly 64 characters and contain only lowercase hexadecimal"
          + " characters");

  private final String text;

  RuleError(String text) {
    this.text = text;
  }

  private static String afterAll(String what, String list) {
    return "Adding a pattern after the * pattern (or the 'all"
        + what
        + "' flag) is not valid and does not have any effect. Try 'reset"
        + what
        + "' to start with an empty list of "
        + list;
  }

  String text() {
    return text;
  }

  /** Carries an error to the caller that knows the whole rule. */
  static final class Signal extends Exception {

    private static final long serialVersionUID = 1L;

    private final RuleError error;

    Signal(RuleError error) {
      super(error.text, null, false, false);
      this.error = error;
    }

    RuleError error() {
      return error;
    }
  }
}
