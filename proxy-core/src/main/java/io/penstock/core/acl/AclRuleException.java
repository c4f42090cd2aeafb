package io.penstock.core.acl;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a server would not accept. The message is the server's, without the leading {@code
 * ERR}, one character per byte.
 */
public final class AclRuleException extends Exception {

  private static final long serialVersionUID = 1L;

  private final String rule;
  private final @Nullable RuleError error; // null for a parenthesis

  private AclRuleException(String message, String rule, @Nullable RuleError error) {
    super(message);
    this.rule = rule;
    this.error = error;
  }

  /** For a rule that is wrong by itself. */
  static AclRuleException of(String rule, RuleError error) {
    // Servers print the rule as a C string.
    int end = rule.indexOf('\0');
    String shown = end < 0 ? rule : rule.substring(0, end);
    return new AclRuleException(
        "Error in ACL SETUSER modifier '" + shown + "': " + error.text(), rule, error);
  }

  /** For a selector without its closing parenthesis. */
  static AclRuleException unmatched(String rule) {
    return new AclRuleException(
        "Unmatched parenthesis in acl selector starting at '" + rule + "'.", rule, null);
  }

  /** Returns the rule; it may contain a password. */
  public String rule() {
    return rule;
  }

  /** Returns what is wrong, without the rule, which may contain a password. */
  public String reason() {
    return error == null ? "Unmatched parenthesis in selector definition" : error.text();
  }

  /** Returns whether the rule names a command or category that the table does not have. */
  public boolean isUnknownCommand() {
    return error == RuleError.UNKNOWN_COMMAND;
  }
}
