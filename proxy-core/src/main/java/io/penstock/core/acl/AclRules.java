package io.penstock.core.acl;

import io.penstock.core.command.CommandTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The language in which users are described: {@code on}, {@code >password}, {@code ~keys:*}, {@code
 * +@read}, {@code (~other:* +get)} and so on, as {@code ACL SETUSER} reads it. All texts have one
 * character per byte (ISO-8859-1).
 */
public final class AclRules {

  private final CommandTable table;
  private boolean enabled;
  private boolean noPassword;
  private boolean sanitizesPayloads;
  private final List<String> passwords;
  private SelectorRules own;
  private final List<AclSelector> selectors;

  private AclRules(AclUser user, CommandTable table) {
    this.table = table;
    enabled = user.enabled();
    noPassword = user.noPassword();
    sanitizesPayloads = user.sanitizesPayloads();
    passwords = new ArrayList<>(user.passwords());
    own = new SelectorRules(user.selectors().getFirst(), table);
    selectors = new ArrayList<>(user.selectors().subList(1, user.selectors().size()));
  }

  /**
   * Returns a user with rules applied in their order. All are applied, or none.
   *
   * @param rules as the arguments of {@code ACL SETUSER} after the name: a selector may be spread
   *     over several
   * @param table knows which commands rules may name
   * @throws AclRuleException for the first rule that is none
   */
  public static AclUser change(AclUser user, List<String> rules, CommandTable table)
      throws AclRuleException {
    var changed = new AclRules(user, table);
    for (String rule : RuleWords.joinSelectors(rules)) {
      try {
        changed.apply(rule);
      } catch (RuleError.Signal signal) {
        throw AclRuleException.of(rule, signal.error());
      }
    }
    return changed.toUser(user.name());
  }

  /** Returns whether a name may be a user's: it has no white space and no NUL. */
  public static boolean isUserName(String name) {
    return !RuleWords.hasSpaces(name);
  }

  private AclUser toUser(String name) {
    List<AclSelector> all = new ArrayList<>();
    all.add(own.toSelector());
    all.addAll(selectors);
    return new AclUser(name, enabled, noPassword, sanitizesPayloads, passwords, all);
  }

  /** Applies a rule ({@code ACLSetUser} in acl.c). */
  private void apply(String rule) throws RuleError.Signal {
    switch (RuleWords.lowerCase(rule)) {
      case "" -> {} // no rule, and no error
      case "on" -> enabled = true;
      case "off" -> enabled = false;
      case "skip-sanitize-payload" -> sanitizesPayloads = false;
      case "sanitize-payload" -> sanitizesPayloads = true;
      case "nopass" -> setNoPassword(true);
      case "resetpass" -> setNoPassword(false);
      case "clearselectors" -> selectors.clear();
      case "reset" -> reset();
      default -> applyOther(rule);
    }
  }

  private void setNoPassword(boolean any) {
    noPassword = any;
    passwords.clear();
  }

  private void reset() {
    setNoPassword(false);
    enabled = false;
    sanitizesPayloads = true;
    selectors.clear();
    own = new SelectorRules(AclSelector.NOTHING, table);
  }

  private void applyOther(String rule) throws RuleError.Signal {
    String rest = rule.substring(1);
    switch (rule.charAt(0)) {
      case '>' -> addPassword(PasswordHash.of(rest));
      case '#' -> addPassword(validHash(rest));
      case '<' -> removePassword(PasswordHash.of(rest));
      case '!' -> removePassword(validHash(rest));
      case '(' -> selectors.add(selector(rule));
      default -> own.apply(rule);
    }
  }

  private static String validHash(String text) throws RuleError.Signal {
    if (!PasswordHash.isValid(text)) {
      throw new RuleError.Signal(RuleError.INVALID_HASH);
    }
    return text;
  }

  private void addPassword(String hash) {
    if (!passwords.contains(hash)) {
      passwords.add(hash);
    }
    noPassword = false;
  }

  private void removePassword(String hash) throws RuleError.Signal {
    if (!passwords.remove(hash)) {
      throw new RuleError.Signal(RuleError.UNKNOWN_PASSWORD);
    }
  }

  /** Reads a selector; one with unbalanced quotes permits nothing, as on a server. */
  private AclSelector selector(String rule) throws RuleError.Signal {
    var selector = new SelectorRules(AclSelector.NOTHING, table);
    List<String> words = RuleWords.split(rule.substring(1, rule.length() - 1));
    for (String word : Objects.requireNonNullElse(words, List.<String>of())) {
      selector.apply(word);
    }
    return selector.toSelector();
  }
}
