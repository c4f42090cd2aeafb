package io.penstock.core.command;

import io.penstock.core.spec.AclCategory;
import io.penstock.core.spec.CommandFacts;
import io.penstock.core.spec.CommandFlag;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The allow and deny lists of the configuration. Entries are names ({@code config|set}; a
 * container's name covers all of its subcommands) and ACL categories ({@code @dangerous}, also
 * {@code @all}), in lower case.
 *
 * <p>The more specific entry applies: a subcommand's name before its container's, a name before a
 * category, any category before {@code @all}. Between two entries of the same kind, deny applies.
 * Without any entry, {@code handling.table} applies.
 *
 * @param readOnly whether commands that may write are rejected as by a replica, whatever the
 *     entries say
 */
public record CommandRules(Set<String> allow, Set<String> deny, boolean readOnly) {

  /** No entries. */
  public static final CommandRules NONE = new CommandRules(Set.of(), Set.of());

  private static final String ALL = "@all";
  private static final String REPLICA_ERROR =
      "READONLY You can't write against a read only replica.";

  public CommandRules {
    allow = Set.copyOf(allow);
    deny = Set.copyOf(deny);
  }

  /** Creates rules that do not reject commands because they may write. */
  public CommandRules(Set<String> allow, Set<String> deny) {
    this(allow, deny, false);
  }

  /** Returns the same rules, with commands that may write rejected. */
  public CommandRules forReadOnly() {
    return new CommandRules(allow, deny, true);
  }

  /** Creates rules from entries in any case. */
  public static CommandRules of(Collection<String> allow, Collection<String> deny) {
    return new CommandRules(normalize(allow), normalize(deny));
  }

  private static Set<String> normalize(Collection<String> entries) {
    Set<String> normal = new HashSet<>();
    for (String entry : entries) {
      normal.add(normalize(entry));
    }
    return normal;
  }

  static String normalize(String entry) {
    return entry.strip().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the handling of a command with these rules applied.
   *
   * @param handling its handling if it is allowed; a command that cannot be served stays rejected
   * @param denialError the error line that rejects it unless a rule allows it, or null
   */
  Handling apply(CommandFacts command, Handling handling, @Nullable String denialError) {
    if (handling instanceof Handling.Rejected) {
      return handling;
    }
    if (readOnly && mayWrite(command)) {
      return new Handling.Rejected(REPLICA_ERROR);
    }
    return switch (permission(command)) {
      case ALLOWED -> handling;
      case DENIED ->
          new Handling.Rejected(notAllowed(command, "denied by penstock.commands.deny"), true);
      case UNSPECIFIED ->
          denialError == null
              ? handling
              : new Handling.Rejected(
                  denialError
                      + "; add "
                      + command.name()
                      + " to penstock.commands.allow to allow it");
    };
  }

  /** Returns whether it may write keys. Scripts may, unless they are called to only read. */
  private static boolean mayWrite(CommandFacts command) {
    boolean script = command.acl().contains(AclCategory.SCRIPTING) && !command.keySpecs().isEmpty();
    return command.flags().contains(CommandFlag.WRITE)
        || (script && !command.flags().contains(CommandFlag.READONLY));
  }

  private enum Permission {
    ALLOWED,
    DENIED,
    UNSPECIFIED
  }

  private Permission permission(CommandFacts command) {
    List<String> categories = new ArrayList<>();
    for (AclCategory category : command.acl()) {
      categories.add("@" + category.wireName());
    }
    for (List<String> level :
        List.of(
            List.of(command.name()), List.of(command.topLevelName()), categories, List.of(ALL))) {
      for (String entry : level) {
        if (deny.contains(entry)) {
          return Permission.DENIED;
        }
      }
      for (String entry : level) {
        if (allow.contains(entry)) {
          return Permission.ALLOWED;
        }
      }
    }
    return Permission.UNSPECIFIED;
  }

  /** Returns the error line for a command that is not allowed. */
  static String notAllowed(CommandFacts command, String reason) {
    return "ERR %s is not allowed through this proxy: %s".formatted(displayName(command), reason);
  }

  /** Returns the error line for a command that is not supported. */
  static String notSupported(CommandFacts command, String reason) {
    return "ERR %s is not supported by this proxy: %s".formatted(displayName(command), reason);
  }

  private static String displayName(CommandFacts command) {
    return CommandSpec.displayName(command.name());
  }
}
